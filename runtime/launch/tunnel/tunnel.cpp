// Carrying bytes, listening and connecting; see tunnel.h.
#include "launch/tunnel/tunnel.h"

#include "launch/run/clock_ms.h"
#include "launch/tunnel/letters.h"
#include "os/linux/descriptors.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein::tunnel {

namespace {

using launch::clock_ms;

// Who connects proves a key that no connection between nodes has: theirs come from the run's token.
constexpr int connecting = 0, listening = 1;

tcp::Security security_of(const std::string &key, int self) {
  tcp::Security security{reinterpret_cast<const unsigned char *>(key.data()), self, 2, true};
  char error[200];
  if (!tcp::security_open(security, error, sizeof error))
    throw std::string(error);
  return security;
}

std::string text_of(const sockaddr *address, socklen_t bytes) {
  char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
  getnameinfo(address, bytes, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  return strchr(host, ':') ? std::string("[") + host + "]:" + port : std::string(host) + ":" + port;
}

struct AddressList {
  addrinfo *first = nullptr;
  AddressList() = default;
  AddressList(const AddressList &) = delete;
  ~AddressList() {
    if (first)
      freeaddrinfo(first);
  }
};

/// Throws a std::string.
void look_up(const Endpoint &at, int flags, AddressList &list) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  if (const int error =
          getaddrinfo(at.address.empty() ? nullptr : at.address.c_str(), at.port.c_str(), &wanted, &list.first))
    throw at.address + ": " + gai_strerror(error);
}

void tell(int control, char letter, const std::string &text, int descriptor = -1) {
  const std::string packet = letter + text;
  send_with(control, packet.data(), packet.size(), &descriptor, descriptor >= 0 ? 1 : 0);
}

void make_non_blocking(int descriptor) { fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

/// Notes about strangers, of which there may be any number.
void note(const std::string &text) {
  static unsigned count = 0;
  if (count++ < 10)
    fprintf(stderr, "skein run: a connection from outside was refused: %s%s\n", text.c_str(),
            count == 10 ? " (there will be no word about more of them)" : "");
}

} // namespace

std::string read_key(const std::string &file) {
  const std::string how = "; `head -c 16 /dev/urandom > FILE; chmod 600 FILE` makes one";
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw "the file of the key, " + file + ": " + strerror(errno) + how;
  struct stat what{};
  char bytes[SKEIN_TRANSPORT_SECRET_BYTES + 1];
  const bool known = fstat(descriptor, &what) == 0;
  const ssize_t count = read(descriptor, bytes, sizeof bytes);
  close(descriptor);
  if (!known || count < 0)
    throw "the file of the key, " + file + ", cannot be read" + how;
  if ((what.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw "the file of the key, " + file + ", may be read or written by others than its owner" + how;
  if (count != SKEIN_TRANSPORT_SECRET_BYTES)
    throw "the file of the key, " + file + ", does not have the size of a key" + how;
  return std::string(bytes, SKEIN_TRANSPORT_SECRET_BYTES);
}

Tunnel::Tunnel(const tcp::Security &security, int socket, bool connects)
    : since_ms(clock_ms()), connection_(security, socket, connects ? listening : -1),
      greeting_wants_(connects ? POLLOUT : POLLIN) {}

Tunnel::~Tunnel() {
  if (local_ >= 0)
    close(local_);
}

bool Tunnel::greet() {
  switch (connection_.greet()) {
  case tcp::Connection::Greeting::done:
    proved_ = true;
    return true;
  case tcp::Connection::Greeting::wants_input:
    greeting_wants_ = POLLIN;
    return true;
  case tcp::Connection::Greeting::wants_output:
    greeting_wants_ = POLLOUT;
    return true;
  case tcp::Connection::Greeting::failed:
    break;
  }
  return false;
}

void Tunnel::carry(int local) {
  local_ = local;
  make_non_blocking(local);
}

void Tunnel::wants(std::vector<pollfd> &all) const {
  const auto when = [](bool wanted, int what) { return static_cast<short>(wanted ? what : 0); };
  if (!proved_) {
    all.push_back({connection_.fd, greeting_wants_, 0});
    return;
  }
  all.push_back({connection_.fd,
                 static_cast<short>(when(inward_.size() < held_most, POLLIN) | when(!outward_.empty(), POLLOUT)), 0});
  if (!local_ended_)
    all.push_back(
        {local_, static_cast<short>(when(outward_.size() < held_most, POLLIN) | when(!inward_.empty(), POLLOUT)), 0});
}

/// False: nobody takes it any more.
bool Tunnel::to_local() {
  while (!inward_.empty()) {
    const ssize_t count = send(local_, inward_.data(), inward_.size(), MSG_NOSIGNAL);
    if (count < 0)
      return errno == EAGAIN || errno == EINTR;
    inward_.erase(0, static_cast<size_t>(count));
  }
  return true;
}

bool Tunnel::to_connection() {
  while (!outward_.empty()) {
    const iovec part{outward_.data(), outward_.size()};
    const size_t count = connection_.write(&part, 1, false);
    if (count == 0)
      return connection_.ended() == nullptr;
    outward_.erase(0, count);
  }
  return true;
}

bool Tunnel::work() {
  char buffer[64 << 10];
  while (inward_.size() < held_most) {
    size_t count = connection_.read(buffer, sizeof buffer);
    if (count == 0 && connection_.fill())
      count = connection_.read(buffer, sizeof buffer);
    if (count == 0)
      break;
    inward_.append(buffer, count);
  }
  if (!to_local())
    return false;
  while (!local_ended_ && outward_.size() < held_most) {
    const ssize_t count = recv(local_, buffer, sizeof buffer, 0);
    if (count > 0)
      outward_.append(buffer, static_cast<size_t>(count));
    else if (count < 0 && (errno == EAGAIN || errno == EINTR))
      break;
    else
      local_ended_ = true;
  }
  if (!to_connection())
    return false;
  // What has come is delivered before an end is passed on.
  return !(connection_.ended() && inward_.empty()) && !(local_ended_ && outward_.empty());
}

Endpoint parse_endpoint(const std::string &text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size() ||
      text.find_first_not_of("0123456789", colon + 1) != std::string::npos)
    throw "'" + text + "' is no address with a port, such as 10.1.2.3:7000";
  Endpoint at{text.substr(0, colon), text.substr(colon + 1)};
  if (at.address.size() > 2 && at.address.front() == '[' && at.address.back() == ']')
    at.address = at.address.substr(1, at.address.size() - 2);
  return at;
}

std::vector<Endpoint> parse_endpoints(const std::string &list) {
  std::istringstream words(list);
  std::vector<Endpoint> all;
  for (std::string word; std::getline(words, word, ',');)
    all.push_back(parse_endpoint(word));
  return all;
}

static int open_listener(const Endpoint &at) {
  if (at.address == "fd") // it listens already
    return std::stoi(at.port);
  AddressList list;
  look_up(at, AI_PASSIVE, list);
  int why = 0;
  for (const addrinfo *one = list.first; one; one = one->ai_next) {
    const int listener = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (listener < 0) {
      why = errno;
      continue;
    }
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, one->ai_addr, one->ai_addrlen) == 0 && ::listen(listener, 1024) == 0)
      return listener;
    why = errno;
    close(listener);
  }
  throw "cannot listen on " + at.address + ":" + at.port + ": " + strerror(why);
}

int listen(const Endpoint &at, const std::string &key_file, int control) {
  std::string key;
  int listener;
  tcp::Security security;
  try {
    key = read_key(key_file);
    security = security_of(key, listening);
    listener = open_listener(at);
  } catch (const std::string &why) {
    tell(control, says_failed, why);
    return 1;
  }
  sockaddr_storage own;
  socklen_t own_bytes = sizeof own;
  getsockname(listener, reinterpret_cast<sockaddr *>(&own), &own_bytes);
  tell(control, says_listening, text_of(reinterpret_cast<sockaddr *>(&own), own_bytes));

  struct Guest {
    std::unique_ptr<Tunnel> tunnel;
    std::string who;
  };
  std::vector<Guest> guests; // strangers in the order of their arrival, and those that are carried
  for (bool open = true; open || !guests.empty();) {
    std::vector<pollfd> wanted = {{open ? control : -1, POLLIN, 0}, {open ? listener : -1, POLLIN, 0}};
    for (const Guest &guest : guests)
      guest.tunnel->wants(wanted);
    poll(wanted.data(), wanted.size(), 1000);
    char word;
    if (open && (wanted[0].revents & (POLLIN | POLLHUP)) != 0 && recv(control, &word, 1, MSG_DONTWAIT) == 0) {
      open = false; // nobody waits for guests any more; those that are carried are left to their ends
      close(listener);
      guests.erase(std::remove_if(guests.begin(), guests.end(), [](const Guest &it) { return !it.tunnel->proved(); }),
                   guests.end());
    }
    for (int accepts = 0; open && accepts < 64; accepts++) {
      sockaddr_storage from;
      socklen_t bytes = sizeof from;
      const int socket = accept4(listener, reinterpret_cast<sockaddr *>(&from), &bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (socket < 0)
        break;
      const auto is_stranger = [](const Guest &guest) { return !guest.tunnel->proved(); };
      if (static_cast<size_t>(std::count_if(guests.begin(), guests.end(), is_stranger)) >= strangers_most) {
        note("too many have connected and said nothing");
        guests.erase(std::find_if(guests.begin(), guests.end(), is_stranger));
      }
      guests.push_back(
          {std::make_unique<Tunnel>(security, socket, false), text_of(reinterpret_cast<sockaddr *>(&from), bytes)});
    }
    const uint64_t now = clock_ms();
    for (size_t i = 0; i < guests.size();) {
      Tunnel &tunnel = *guests[i].tunnel;
      bool goes_on = true;
      if (!tunnel.proved()) {
        goes_on = tunnel.greet();
        if (!goes_on || (!tunnel.proved() && now - tunnel.since_ms >= greeting_ms)) {
          note(guests[i].who + ": " + (goes_on ? "it has not introduced itself in time" : tunnel.why()));
          goes_on = false;
        } else if (tunnel.proved()) {
          int ends[2];
          if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
            tunnel.carry(ends[0]);
            tell(control, says_joined, guests[i].who, ends[1]);
            close(ends[1]);
          } else {
            goes_on = false;
          }
        }
      }
      if (goes_on && tunnel.proved())
        goes_on = tunnel.work();
      if (goes_on)
        i++;
      else
        guests.erase(guests.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  return 0;
}

/// A connected socket; -1: nobody is there, and errno says why.
static int connect_once(const Endpoint &to) {
  constexpr int answer_ms = 2000;
  AddressList list;
  look_up(to, 0, list);
  int why = 0;
  for (const addrinfo *one = list.first; one; one = one->ai_next) {
    const int way = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (way < 0 || (::connect(way, one->ai_addr, one->ai_addrlen) != 0 && errno != EINPROGRESS)) {
      why = errno;
    } else {
      pollfd connected = {way, POLLOUT, 0};
      socklen_t bytes = sizeof why;
      why = ETIMEDOUT;
      if (poll(&connected, 1, answer_ms) == 1 && getsockopt(way, SOL_SOCKET, SO_ERROR, &why, &bytes) == 0 && why == 0)
        return way;
    }
    if (way >= 0)
      close(way);
  }
  errno = why;
  return -1;
}

int connect(const std::vector<Endpoint> &ways, const std::string &key_file, int local) {
  const std::string key = read_key(key_file);
  const tcp::Security security = security_of(key, connecting);
  const uint64_t begin = clock_ms();
  int way = -1;
  std::string why, where;
  // A name may not be known yet, either: that of a service of which no part has started.
  const auto tries = [&](const Endpoint &to) {
    try {
      way = connect_once(to);
      why = strerror(errno);
    } catch (const std::string &unknown) {
      why = unknown;
    }
    where = to.address + ":" + to.port;
    return way >= 0;
  };
  while (!std::any_of(ways.begin(), ways.end(), tries)) {
    if (clock_ms() - begin >= connect_ms)
      throw "nobody listens at " + where + ": " + why;
    usleep(300000);
  }
  Tunnel tunnel(security, way, true);
  for (bool carries = false;;) {
    if (!tunnel.proved() && !tunnel.greet())
      throw "the run at " + where + " was not joined: " + tunnel.why() +
          " (is the file of the key the same on both sides?)";
    if (!tunnel.proved() && clock_ms() - tunnel.since_ms >= greeting_ms)
      throw "what listens at " + where + " does not answer as a run does";
    if (tunnel.proved() && !carries) {
      tunnel.carry(local);
      carries = true;
    }
    if (carries && !tunnel.work())
      return 0;
    std::vector<pollfd> wanted;
    tunnel.wants(wanted);
    poll(wanted.data(), wanted.size(), carries ? -1 : 500);
  }
}

} // namespace skein::tunnel
