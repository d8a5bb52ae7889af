// Strangers and corrupted peers may connect to the transport over sockets. They must achieve nothing but that their
// connection is closed.
//
// The victim is node 2 of three, in a process of its own: it sends each message back to where it came from, and tells
// which peers were lost, and why. Node 0 is this test, which speaks the protocol by hand, or a process with the real
// transport. Node 1 comes last, so that the victim listens all the time. SKEIN_TCP_PACKETS=1000000 runs the long form
// of the attack.
#include "net/wire/tcp/frames.h"
#include "net/wire/tcp/keys.h"

#include <arpa/inet.h>
#include <csignal>
#include <dlfcn.h>
#include <functional>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <random>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace skein::tcp;
using Bytes = std::vector<char>;

constexpr unsigned char secret[SKEIN_TRANSPORT_SECRET_BYTES] = {9, 8, 7};

double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void die(const char *what) {
  fprintf(stderr, "tcp test: %s\n", what);
  _exit(1);
}

/// A node of three with the real transport, for a process of its own.
class Node {
public:
  Node(int self, bool sealed) {
    void *library = dlopen(SKEIN_TCP_LIBRARY, RTLD_NOW);
    if (!library)
      die(dlerror());
    transport = reinterpret_cast<skein_transport_table_fn>(dlsym(library, SKEIN_TRANSPORT_SYMBOL))();
    skein_transport_setup setup{};
    setup.peers = 3;
    setup.self = self;
    setup.receive = [](void *context, int from, void *message, size_t bytes) {
      return static_cast<Node *>(context)->on_message(from, message, bytes);
    };
    setup.lost = [](void *context, int peer, const char *why) { static_cast<Node *>(context)->on_lost(peer, why); };
    setup.note = [](void *context, const char *) { static_cast<Node *>(context)->notes++; };
    setup.context = this;
    setup.secret = secret;
    setup.sealed = sealed;
    setup.listen = "127.0.0.1";
    char error[256];
    if (transport->open(&setup, error, sizeof error) != 0)
      die(error);
  }
  /// Drives the transport until `done`, and sleeps in between.
  void drive(const std::function<bool()> &done) {
    while (!done()) {
      if (transport->progress(1) || transport->arm() != 1)
        continue;
      pollfd descriptor = {transport->wait_fd(), POLLIN, 0};
      poll(&descriptor, 1, 100);
    }
  }
  const skein_transport *transport;
  std::function<int(int, void *, size_t)> on_message = [](int, void *, size_t) { return 0; };
  std::function<void(int, const char *)> on_lost = [](int, const char *) {};
  unsigned notes = 0;
};

class Victim {
public:
  explicit Victim(bool sealed) {
    int up[2], down[2];
    if (pipe(up) || pipe(down))
      die("pipe");
    process_ = fork();
    if (process_ == 0) {
      close(up[0]);
      close(down[1]);
      run(sealed, up[1], down[0]);
    }
    close(up[1]);
    close(down[0]);
    reports_ = up[0];
    life_ = down[1];
    char own[20];
    if (read(reports_, own, sizeof own) != sizeof own)
      die("no address");
    memcpy(&port, own + 2, sizeof port);
    memcpy(address, own, sizeof own);
  }
  ~Victim() {
    if (process_ > 0)
      end();
    close(reports_);
  }
  /// Ends it, and returns the exit status, or 128 + the signal.
  int end() {
    close(life_);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  /// The next line about a peer that was lost; empty after so many seconds without one.
  std::string report(int patience = 10) {
    std::string line;
    pollfd descriptor = {reports_, POLLIN, 0};
    for (char byte; poll(&descriptor, 1, patience * 1000) == 1 && read(reports_, &byte, 1) == 1 && byte != '\n';)
      line += byte;
    return line;
  }
  uint16_t port; // in the byte order of networks
  char address[20];

private:
  [[noreturn]] static void run(bool sealed, int reports, int life) {
    Node node(2, sealed);
    node.on_message = [&](int from, void *message, size_t bytes) {
      node.transport->send(from, message, bytes);
      return 1;
    };
    node.on_lost = [&](int peer, const char *why) { dprintf(reports, "%d: %s\n", peer, why); };
    skein_transport_address own;
    node.transport->address(&own);
    if (write(reports, own.bytes, own.count) != static_cast<ssize_t>(own.count))
      die("write");
    node.drive([&] {
      pollfd descriptor = {life, POLLIN, 0};
      return poll(&descriptor, 1, 0) != 0;
    });
    _exit(0);
  }
  pid_t process_;
  int reports_, life_;
};

int connect_to(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = port;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience = {20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0)
    return fd;
  close(fd);
  return -1;
}

bool put(int fd, const void *bytes, size_t count) {
  return send(fd, bytes, count, MSG_NOSIGNAL) == static_cast<ssize_t>(count);
}
bool get(int fd, void *bytes, size_t count) {
  return recv(fd, bytes, count, MSG_WAITALL) == static_cast<ssize_t>(count);
}
/// Whether the other side closes the connection, whatever it sends before.
bool closes(int fd) {
  char ignored[4096];
  ssize_t got;
  while ((got = recv(fd, ignored, sizeof ignored, 0)) > 0)
    ;
  return got == 0 || errno == ECONNRESET;
}

/// Node `from`, speaking the plain protocol by hand.
class Client {
public:
  Client(uint16_t port, uint32_t from, const unsigned char *with = secret, uint32_t to = 2) {
    fd = connect_to(port);
    const Pair pair = Pair::of(from, to);
    uint8_t key[key_bytes];
    pair_key(with, pair, false, key);
    memset(&all, 0, sizeof all);
    all.hello.pair = pair;
    fresh_nonce(all.hello.nonce);
    prove(key, PlainPart::hello, all);
    if (!put(fd, &all.hello, sizeof all.hello) || !get(fd, &all.answer, sizeof all.answer) ||
        !proved(key, PlainPart::answer, all))
      return;
    prove(key, PlainPart::finish, all);
    good = put(fd, &all.finish, sizeof all.finish);
  }
  Client(const Client &) = delete;
  ~Client() { close(fd); }
  void frame(FrameKind kind, const void *payload, uint32_t bytes) {
    const FrameHeader header = {bytes, kind, {}};
    put(fd, &header, sizeof header);
    put(fd, payload, bytes);
  }
  /// Whether it gets back what it sends.
  bool echoes(const std::string &text) {
    frame(FrameKind::whole, text.data(), static_cast<uint32_t>(text.size()));
    FrameHeader header;
    std::string back(text.size(), 0);
    return get(fd, &header, sizeof header) && header.kind == FrameKind::whole && header.bytes == text.size() &&
           get(fd, back.data(), back.size()) && back == text;
  }
  int fd;
  bool good = false;
  PlainHandshake all;
};

struct Log {
  std::vector<Bytes> messages;
  bool whole(const char *message, size_t bytes) { return messages.emplace_back(message, message + bytes), true; }
  bool large(char *message, uint64_t bytes) {
    messages.emplace_back(message, message + bytes);
    free(message);
    return true;
  }
};

void append(Bytes &stream, FrameKind kind, const void *payload, size_t bytes, size_t said) {
  const FrameHeader header = {static_cast<uint32_t>(said), kind, {}};
  const auto *at = reinterpret_cast<const char *>(&header);
  stream.insert(stream.end(), at, at + sizeof header);
  stream.insert(stream.end(), static_cast<const char *>(payload), static_cast<const char *>(payload) + bytes);
}

/// Returns what a reader says about a stream that it gets in pieces of `step` bytes.
const char *feed(const Bytes &stream, size_t step, Log &log) {
  FrameReader reader;
  Bytes kept;
  for (size_t at = 0; at < stream.size(); at += step) {
    kept.insert(kept.end(), stream.begin() + static_cast<long>(at),
                stream.begin() + static_cast<long>(std::min(stream.size(), at + step)));
    size_t used = 0;
    if (const char *wrong = reader.take(kept.data(), kept.size(), used, log))
      return wrong;
    kept.erase(kept.begin(), kept.begin() + static_cast<long>(used));
  }
  return nullptr;
}

Bytes large_frames(const Bytes &message) {
  Bytes stream;
  const uint64_t total = message.size();
  append(stream, FrameKind::begin, &total, sizeof total, sizeof total);
  for (size_t at = 0; at < message.size(); at += frame_most) {
    append(stream, FrameKind::part, message.data() + at, std::min(frame_most, message.size() - at),
           std::min(frame_most, message.size() - at));
    append(stream, FrameKind::whole, "between", 7, 7);
  }
  return stream;
}

} // namespace

TEST(Frames, AnyCutGivesTheSameMessages) {
  Bytes message(3 * frame_most + 5);
  for (size_t i = 0; i < message.size(); i++)
    message[i] = static_cast<char>(i * 7 + i / 300);
  Bytes stream = large_frames(message);
  append(stream, FrameKind::whole, "", 0, 0);
  for (const size_t step : {size_t{1}, size_t{7}, size_t{4096}, size_t{65537}, stream.size()}) {
    Log log;
    EXPECT_EQ(feed(stream, step, log), nullptr);
    ASSERT_EQ(log.messages.size(), 6u);
    EXPECT_EQ(log.messages[3], message);
    EXPECT_TRUE(log.messages[5].empty());
  }
}

TEST(Frames, ViolationsAreNamed) {
  const auto said = [](const Bytes &stream) {
    Log log;
    const char *wrong = feed(stream, stream.size(), log);
    EXPECT_TRUE(log.messages.empty());
    return std::string(wrong ? wrong : "nothing");
  };
  Bytes stream;
  append(stream, FrameKind::whole, "x", 1, frame_most + 1);
  EXPECT_EQ(said(stream), "a frame that is too long");
  append(stream = {}, FrameKind::whole, "x", 1, UINT32_MAX);
  EXPECT_EQ(said(stream), "a frame that is too long");
  append(stream = {}, static_cast<FrameKind>(4), "x", 1, 1);
  EXPECT_EQ(said(stream), "a frame of an unknown kind");
  append(stream = {}, static_cast<FrameKind>(0), "", 0, 0);
  EXPECT_EQ(said(stream), "a frame of an unknown kind");
  append(stream = {}, FrameKind::part, "x", 1, 1);
  EXPECT_EQ(said(stream), "more of a large message than was announced");
  for (const uint64_t total : {UINT64_C(0), uint64_t{frame_most}, message_most + 1, UINT64_MAX}) {
    append(stream = {}, FrameKind::begin, &total, sizeof total, sizeof total);
    EXPECT_EQ(said(stream), "a large message of a size that is not allowed");
  }
  const uint64_t total = frame_most + 1;
  append(stream = {}, FrameKind::begin, &total, sizeof total, 4);
  EXPECT_EQ(said(stream), "an announcement of a large message that is not understood");
  append(stream = {}, FrameKind::begin, &total, sizeof total, sizeof total);
  append(stream, FrameKind::begin, &total, sizeof total, sizeof total);
  EXPECT_EQ(said(stream), "a large message within another");
  append(stream = {}, FrameKind::begin, &total, sizeof total, sizeof total);
  append(stream, FrameKind::part, "", 0, 0);
  EXPECT_EQ(said(stream), "more of a large message than was announced");
  append(stream = {}, FrameKind::whole, "x", 1, 1);
  stream[6] = 1;
  EXPECT_EQ(said(stream), "a frame whose header is not understood");
  append(stream = {}, FrameKind::whole, "half", 4, 8); // cut off: this is no message yet, and no violation
  EXPECT_EQ(said(stream), "nothing");
}

TEST(Frames, AnnouncedIsNotAllocated) {
  Bytes stream;
  const uint64_t total = message_most; // more memory than this machine has
  append(stream, FrameKind::begin, &total, sizeof total, sizeof total);
  append(stream, FrameKind::part, "x", 1, 1);
  Log log;
  EXPECT_EQ(feed(stream, 3, log), nullptr);
}

TEST(Frames, RandomStreams) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; i++) {
    Bytes stream;
    for (unsigned frames = random() % 6 + 1; frames; frames--) {
      const Bytes payload(random() % 300);
      append(stream, static_cast<FrameKind>(random() % 5), payload.data(), payload.size(),
             random() % 3 ? payload.size() : random());
    }
    for (unsigned flips = random() % 4; flips; flips--)
      stream[random() % stream.size()] = static_cast<char>(random());
    Log log;
    feed(stream, random() % 100 + 1, log);
  }
}

TEST(Keys, EachPairAndKindHasItsOwn) {
  std::vector<std::string> all;
  for (uint32_t from = 0; from < 3; from++)
    for (uint32_t to = 0; to < 3; to++)
      for (const bool sealed : {false, true}) {
        std::string key(key_bytes, 0);
        pair_key(secret, Pair::of(from, to), sealed, reinterpret_cast<uint8_t *>(key.data()));
        all.push_back(key);
      }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST(Handshake, OnlyTheKeyLeadsIn) {
  Victim victim(false);
  unsigned char other[SKEIN_TRANSPORT_SECRET_BYTES] = {9, 8, 6};
  Client wrong(victim.port, 0, other);
  EXPECT_FALSE(wrong.good);
  EXPECT_TRUE(closes(wrong.fd));
  Client elsewhere(victim.port, 0, secret, 1); // this was meant for node 1
  EXPECT_FALSE(elsewhere.good);
  Client itself(victim.port, 2);
  EXPECT_FALSE(itself.good);
  Client nobody(victim.port, 7);
  EXPECT_FALSE(nobody.good);
  Client right(victim.port, 0);
  ASSERT_TRUE(right.good);
  EXPECT_TRUE(right.echoes("hello"));
  Client second(victim.port, 0); // while the first connection is open
  EXPECT_TRUE(closes(second.fd));
  EXPECT_TRUE(right.echoes("still here"));

  // What was sent once is not accepted a second time, since the answer has another nonce.
  Client last(victim.port, 1);
  ASSERT_TRUE(last.good);
  EXPECT_TRUE(last.echoes("all are here"));
  EXPECT_EQ(connect_to(victim.port), -1) << "it listens though all have connected";
  EXPECT_EQ(victim.end(), 0);
}

TEST(Handshake, ReplayedAndTruncated) {
  Victim victim(false);
  PlainHandshake recorded;
  {
    Client first(victim.port, 0);
    ASSERT_TRUE(first.good);
    recorded = first.all;
    ASSERT_TRUE(first.echoes("once"));
  }
  EXPECT_EQ(victim.report(), "0: the connection was closed");
  for (uint32_t node : {0u, 1u}) {
    PlainHandshake again = recorded;
    again.hello.pair.from = node;
    const int fd = connect_to(victim.port);
    PlainAnswer answer;
    EXPECT_TRUE(put(fd, &again.hello, sizeof again.hello));
    if (node == 0) { // the recorded proof is that of this node
      EXPECT_TRUE(get(fd, &answer, sizeof answer));
      EXPECT_TRUE(put(fd, &again.finish, sizeof again.finish));
    }
    EXPECT_TRUE(closes(fd));
    close(fd);
  }
  for (size_t bytes : {1u, 12u, 63u, 64u}) {
    const int fd = connect_to(victim.port);
    EXPECT_TRUE(put(fd, &recorded, bytes));
    shutdown(fd, SHUT_WR);
    EXPECT_TRUE(closes(fd));
    close(fd);
  }
  Client last(victim.port, 1);
  ASSERT_TRUE(last.good);
  EXPECT_TRUE(last.echoes("at last"));
  EXPECT_EQ(victim.end(), 0);
}

TEST(Handshake, AViolationEndsOneConnection) {
  Victim victim(false);
  Client good(victim.port, 0), bad(victim.port, 1);
  ASSERT_TRUE(good.good && bad.good);
  EXPECT_TRUE(good.echoes("before"));
  const FrameHeader huge = {UINT32_MAX, FrameKind::whole, {}};
  EXPECT_TRUE(put(bad.fd, &huge, sizeof huge));
  EXPECT_TRUE(closes(bad.fd));
  EXPECT_EQ(victim.report(), "1: a frame that is too long");
  EXPECT_TRUE(good.echoes("after"));
  EXPECT_EQ(victim.end(), 0);
}

TEST(Handshake, SilentOnesKeepNobodyOut) {
  Victim victim(false);
  std::vector<int> silent;
  for (int i = 0; i < 900; i++) // many more than are let in at a time
    if (const int fd = connect_to(victim.port); fd >= 0)
      silent.push_back(fd);
  const double begin = seconds();
  Client right(victim.port, 0);
  ASSERT_TRUE(right.good);
  EXPECT_TRUE(right.echoes("hello"));
  EXPECT_LT(seconds() - begin, 5);
  for (int fd : silent)
    close(fd);
  EXPECT_EQ(victim.end(), 0);
}

TEST(Handshake, SlowOnesAreCutOff) {
  Victim victim(false);
  const int fd = connect_to(victim.port);
  const double begin = seconds();
  const char byte = 'S';
  while (put(fd, &byte, 1) && seconds() - begin < 20) {
    pollfd descriptor = {fd, POLLIN, 0};
    if (poll(&descriptor, 1, 250) == 1)
      break;
  }
  EXPECT_TRUE(closes(fd));
  EXPECT_LT(seconds() - begin, 12);
  close(fd);
  Client right(victim.port, 0);
  EXPECT_TRUE(right.good && right.echoes("hello"));
}

// These tests of TLS use another client than ours, that of OpenSSL, with the right key or a wrong one.
namespace {

struct Identity {
  Pair pair;
  uint8_t key[key_bytes];
};

int use_session(SSL *ssl, const EVP_MD *, const unsigned char **identity, size_t *bytes, SSL_SESSION **session) {
  auto *own = static_cast<Identity *>(SSL_get_app_data(ssl));
  const unsigned char suite[] = {0x13, 0x01};
  *session = SSL_SESSION_new();
  SSL_SESSION_set1_master_key(*session, own->key, sizeof own->key);
  SSL_SESSION_set_cipher(*session, SSL_CIPHER_find(ssl, suite));
  SSL_SESSION_set_protocol_version(*session, TLS1_3_VERSION);
  *identity = reinterpret_cast<const unsigned char *>(&own->pair);
  *bytes = sizeof own->pair;
  return 1;
}

/// Whether a client with this secret gets in and gets an answer.
bool sealed_client(uint16_t port, uint32_t from, const unsigned char *with, bool keyless = false) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  if (!keyless)
    SSL_CTX_set_psk_use_session_callback(context, use_session);
  SSL *ssl = SSL_new(context);
  Identity identity = {Pair::of(from, 2), {}};
  pair_key(with, identity.pair, true, identity.key);
  SSL_set_app_data(ssl, &identity);
  const int fd = connect_to(port);
  SSL_set_fd(ssl, fd);
  bool good = SSL_connect(ssl) == 1 && SSL_session_reused(ssl);
  const FrameHeader header = {5, FrameKind::whole, {}};
  char out[sizeof header + 5], in[sizeof out];
  memcpy(out, &header, sizeof header);
  memcpy(out + sizeof header, "hello", 5);
  good = good && SSL_write(ssl, out, sizeof out) == static_cast<int>(sizeof out) &&
         SSL_read(ssl, in, sizeof in) == static_cast<int>(sizeof in) && memcmp(in, out, sizeof in) == 0;
  if (!good)
    EXPECT_TRUE(closes(fd));
  SSL_free(ssl);
  SSL_CTX_free(context);
  close(fd);
  return good;
}

} // namespace

TEST(Sealed, OnlyTheKeyLeadsIn) {
  signal(SIGPIPE, SIG_IGN); // OpenSSL's own socket would raise it
  Victim victim(true);
  const unsigned char other[SKEIN_TRANSPORT_SECRET_BYTES] = {9, 8, 6};
  EXPECT_FALSE(sealed_client(victim.port, 0, other));
  EXPECT_FALSE(sealed_client(victim.port, 0, secret, true)) << "without a key";
  EXPECT_FALSE(sealed_client(victim.port, 5, secret)) << "no node of the run";
  Client plain(victim.port, 0);
  EXPECT_FALSE(plain.good) << "a plain one on a sealed run";
  EXPECT_TRUE(sealed_client(victim.port, 0, secret));
  EXPECT_EQ(victim.report(), "0: the connection was closed");
  EXPECT_TRUE(sealed_client(victim.port, 1, secret));
  EXPECT_EQ(victim.end(), 0);
}

TEST(Sealed, TheServerHasToKnowTheKeyToo) {
  // Node 0 connects to a listener that is not node 2. It must give up, and send nothing that could be used elsewhere.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof own;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr *>(&own), sizeof own), 0);
  ASSERT_EQ(listen(listener, 100), 0);
  getsockname(listener, reinterpret_cast<sockaddr *>(&own), &bytes);
  const pid_t client = fork();
  if (client == 0) {
    Node node(0, true);
    unsigned received = 0;
    node.on_message = [&](int, void *, size_t) { return received++, 0; };
    char address[20] = {2, 0}, error[256];
    memcpy(address + 2, &own.sin_port, 2);
    memcpy(address + 4, &own.sin_addr, 4);
    const skein_transport_address remote = {address, sizeof address, {-1, -1}};
    if (node.transport->connect(2, &remote, error, sizeof error) != 0)
      die(error);
    void *message = malloc(5);
    memcpy(message, "THING", 5);
    node.transport->send(2, message, 5);
    const double until = seconds() + 2;
    node.drive([&] { return seconds() > until; });
    _exit(received || node.transport->pending() != 1);
  }
  const double until = seconds() + 1.5;
  int connections = 0;
  for (const char *answer : {"\x16\x03\x03\x00\x04\x02\x00\x00\x00", "HTTP/1.1 200 OK\r\n\r\n", ""}) {
    pollfd descriptor = {listener, POLLIN, 0};
    if (seconds() > until || poll(&descriptor, 1, 1500) != 1)
      break;
    const int fd = accept(listener, nullptr, nullptr);
    char heard[4096];
    const ssize_t got = recv(fd, heard, sizeof heard, 0);
    EXPECT_EQ(memmem(heard, static_cast<size_t>(std::max<ssize_t>(got, 0)), "THING", 5), nullptr);
    put(fd, answer, strlen(answer) ? strlen(answer) : 9);
    close(fd);
    connections++;
  }
  EXPECT_GE(connections, 2);
  int status;
  waitpid(client, &status, 0);
  EXPECT_EQ(status, 0);
  close(listener);
}

// Another user sends packets, while a real peer and the victim talk.
TEST(Attack, FromAnotherUser) {
  const char *wanted = getenv("SKEIN_TCP_PACKETS");
  const long random_packets = wanted ? atol(wanted) : 3000;
  constexpr int crafted = 1000;
  Victim victim(true);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t peer = fork();
  if (peer == 0) { // node 0: sends and gets back, until the test is over
    close(ends[1]);
    Node node(0, true);
    char error[256];
    unsigned back = 0, sent = 0;
    node.on_message = [&](int from, void *message, size_t bytes) {
      if (from != 2 || bytes != sizeof sent || memcmp(message, &back, bytes) != 0)
        die("another message has come back");
      return back++, 0;
    };
    node.on_lost = [](int, const char *why) { die(why); };
    const skein_transport_address remote = {victim.address, sizeof victim.address, {-1, -1}};
    if (node.transport->connect(2, &remote, error, sizeof error) != 0)
      die(error);
    for (bool over = false; !over;) {
      void *message = malloc(sizeof sent);
      memcpy(message, &sent, sizeof sent);
      node.transport->send(2, message, sizeof sent);
      sent++;
      node.drive([&] { return back == sent; });
      pollfd descriptor = {ends[0], POLLIN, 0};
      over = poll(&descriptor, 1, 1) != 0 && sent > 20;
    }
    _exit(0);
  }
  close(ends[0]);
  const pid_t attacker = fork();
  if (attacker == 0) {
    if (getuid() == 0 && (setgid(65534) || setuid(65534)))
      _exit(2);
    // A client hello of TLS 1.3 with a wrong key is the basis of most crafted packets.
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_psk_use_session_callback(context, use_session);
    SSL *ssl = SSL_new(context);
    Identity identity = {Pair::of(1, 2), {1}};
    SSL_set_app_data(ssl, &identity);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl, in, out);
    SSL_connect(ssl);
    char *hello;
    const auto hello_bytes = static_cast<size_t>(BIO_get_mem_data(out, &hello));
    std::mt19937 random(7);
    const linger at_once = {1, 0}; // leaves no port of ours in TIME_WAIT
    Bytes packet;
    for (long i = 0; i < random_packets + crafted; i++) {
      if (i < crafted) { // the hello as it is, cut, longer, flipped, or twice; and frames with wild lengths
        packet.assign(hello, hello + hello_bytes);
        if (i % 5 == 1)
          packet.resize(random() % packet.size() + 1);
        if (i % 5 == 2)
          packet[random() % 9] = static_cast<char>(random());
        if (i % 5 == 3)
          for (unsigned flips = random() % 8 + 1; flips; flips--)
            packet[random() % packet.size()] = static_cast<char>(random());
        if (i % 5 == 4) {
          packet.clear();
          append(packet, static_cast<FrameKind>(random() % 5), "payload", 7, random());
          packet.resize(packet.size() + random() % 8000);
        }
      } else {
        packet.resize(random() % 200 + 1);
        for (char &byte : packet)
          byte = static_cast<char>(random());
      }
      const int fd = connect_to(victim.port);
      if (fd < 0)
        _exit(3);
      put(fd, packet.data(), packet.size());
      char heard[512];
      pollfd descriptor = {fd, POLLIN, 0};
      // Every hundredth waits for an answer, which may be nothing, or an alert, but never that of a handshake.
      if (i % 100 == 0 && poll(&descriptor, 1, 50) == 1 && recv(fd, heard, sizeof heard, 0) > 0 && heard[0] != 0x15)
        _exit(4);
      setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      close(fd);
    }
    _exit(0);
  }
  int status;
  waitpid(attacker, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(WIFEXITED(status));
  close(ends[1]);
  waitpid(peer, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(victim.report(), "0: the connection was closed");
  EXPECT_TRUE(sealed_client(victim.port, 1, secret));
  EXPECT_EQ(victim.end(), 0);
}
