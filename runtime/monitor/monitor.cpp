// The socket of the monitor and its kernel thread; see monitor.h.
#include "monitor/monitor.h"

#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "base/reborn.h"
#include "monitor/answers.h"
#include "net/run/halting.h"
#include "net/wire/bootstrap.h"
#include "os/linux/mutex.h"
#include "os/linux/own_thread.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr size_t clients_most = 16;
constexpr size_t request_most = 256; // bytes of a request, with its end

struct Client {
  int socket;
  size_t used;
  char request[request_most]; // what has come of it so far
};

int listening = -1;
pid_t owner; // the process that made the socket
sockaddr_un place;
Client clients[clients_most];
size_t client_count = 0;
Mutex answering; // whoever has it is the only one that answers: this room's kernel thread, or a node that has halted
bool halted;     // the node has it

/// Only the same user, or root.
bool may_ask(int socket) {
  ucred peer;
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

void welcome() {
  const int socket = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0)
    return;
  if (client_count == clients_most || !may_ask(socket)) {
    close(socket);
    return;
  }
  const timeval patience = {1, 0}; // with a client that does not read
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  clients[client_count].socket = socket;
  clients[client_count++].used = 0;
}

bool send_all(int socket, const unsigned char *bytes, size_t count) {
  while (count) {
    const ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes += sent;
    count -= static_cast<size_t>(sent);
  }
  return true;
}

/// Reads what has come, and answers all whole requests in it. False: the client is to be hung up on.
bool serve(Client &client) {
  JsonLine line;
  const ssize_t got = recv(client.socket, client.request + client.used, request_most - client.used, MSG_DONTWAIT);
  if (got <= 0)
    return got < 0 && (errno == EAGAIN || errno == EINTR);
  client.used += static_cast<size_t>(got);
  while (char *end = static_cast<char *>(memchr(client.request, '\n', client.used))) {
    *end = 0;
    line.clear();
    answer_request(client.request, line);
    if (!line.whole() || !send_all(client.socket, line.data(), line.size()))
      return false;
    const auto request_bytes = static_cast<size_t>(end + 1 - client.request);
    memmove(client.request, end + 1, client.used - request_bytes);
    client.used -= request_bytes;
  }
  return client.used < request_most;
}

void *monitor_main(void *) {
  pthread_setname_np(pthread_self(), "skein-monitor");
  for (;;) {
    pollfd all[clients_most + 1];
    all[0] = {listening, POLLIN, 0};
    for (size_t i = 0; i < client_count; i++)
      all[i + 1] = {clients[i].socket, POLLIN, 0};
    if (poll(all, client_count + 1, -1) < 0 && errno != EINTR)
      return nullptr;
    answering.lock();
    for (size_t i = client_count; i-- > 0;)
      if (all[i + 1].revents && !serve(clients[i])) {
        close(clients[i].socket);
        clients[i] = clients[--client_count];
      }
    if (all[0].revents)
      welcome();
    answering.unlock();
  }
}

void remove_socket() {
  if (owner == getpid())
    unlink(place.sun_path);
}

/// The child of a fork is no node. It has no kernel thread that would answer, and keeps no client waiting.
void in_child() {
  close(listening);
  for (size_t i = 0; i < client_count; i++)
    close(clients[i].socket);
  client_count = 0;
}

// A request may push a thread. So nobody is answered before a node that has halted goes on.
const char *busy(char *, size_t) {
  halted = halted || answering.try_lock();
  return halted ? nullptr : "answers its monitor";
}
void go_on() {
  if (halted)
    answering.unlock();
  halted = false;
}
HaltPart halt_part = {busy, go_on, nullptr};

/// Returns why there is no socket, or null.
const char *make_socket(const char *folder) {
  place.sun_family = AF_UNIX;
  if (static_cast<size_t>(snprintf(place.sun_path, sizeof place.sun_path, "%s/node-%d", folder, node.self)) >=
      sizeof place.sun_path)
    return "the name of the folder is too long for a socket";
  mkdir(folder, 0700);    // it may be there
  unlink(place.sun_path); // of a run that was killed
  listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0 || bind(listening, reinterpret_cast<const sockaddr *>(&place), sizeof place) != 0 ||
      chmod(place.sun_path, 0600) != 0 || listen(listening, clients_most) != 0)
    return strerror(errno);
  return nullptr;
}

/// Returns why that is not possible, or null.
const char *start_kernel_thread() {
  owner = getpid();
  pthread_t kernel_thread;
  const int error = own_thread_start(kernel_thread, monitor_main);
  return error ? strerror(error) : nullptr;
}

/// Opens the socket in the folder, if one is named. `again`: this process is made of a copy.
void answer_in(const char *folder, bool again) {
  if (!folder || !*folder || strcmp(folder, "none") == 0)
    return;
  const char *why = make_socket(folder);
  if (!why && !again) {
    atexit(remove_socket);
    pthread_atfork(nullptr, nullptr, in_child);
    answers_start();
    halt_part_add(halt_part);
  }
  if (!why)
    why = start_kernel_thread();
  if (why)
    log("`skein top` and `skein web` cannot see this node: %s: %s", place.sun_path, why);
}

const char *folder_of(const char *given) { return *knobs.monitor_in ? knobs.monitor_in : given; }

/// A copy has the sockets of nobody, and no kernel thread. The one that it gets waits until the node goes on.
void on_reborn() {
  const bool answered = listening >= 0;
  listening = -1;
  client_count = 0;
  if (answered)
    answer_in(folder_of(reborn_variable ? reborn_variable(bootstrap::monitor_variable) : nullptr), true);
}

} // namespace

void monitor_start() {
  answer_in(folder_of(getenv(bootstrap::monitor_variable)), false);
  node_reborn.add(on_reborn);
  unsetenv(bootstrap::monitor_variable); // it is not for programs that this one starts
}

} // namespace skein
