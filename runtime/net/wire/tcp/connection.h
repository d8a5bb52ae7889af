// One TCP connection: a socket, with TLS on it or not, from its first byte to its last. The other side proves who it is
// before anything else is read from it.
//
// Sealed (the default): TLS 1.3 by OpenSSL. Both sides know a pre-shared key that is derived from the run's secret and
// the numbers of the two nodes; no certificate is accepted or shown. A session's keys are fresh (X25519), so somebody
// who learns the secret later cannot read a recorded run. Plain, for measurements: keys.h.
//
// TLS gets its bytes from `raw`, which is filled by one recv of all that is there: a look at a socket on which nothing
// has come costs one system call and nothing of OpenSSL. What it writes goes to the socket at once, by the kernel's TLS
// where that exists (SSL_OP_ENABLE_KTLS), without SIGPIPE.
//
// Locking: OpenSSL must not read and write one connection at the same time; the caller sees to that. `fill` and a plain
// connection's `read` touch only what belongs to the reader.
#ifndef SKEIN_NET_WIRE_TCP_CONNECTION_H
#define SKEIN_NET_WIRE_TCP_CONNECTION_H

#include "net/wire/tcp/keys.h"

#include <openssl/ssl.h>
#include <sys/uio.h>

namespace skein::tcp {

/// What all connections of this node have in common.
struct Security {
  const unsigned char *secret = nullptr;
  int self = 0, peers = 0;
  bool sealed = false;
  SSL_CTX *context = nullptr; // sealed
  BIO_METHOD *method = nullptr;
};
/// False, with the reason, if OpenSSL cannot do what is needed.
bool security_open(Security &security, char *error, size_t error_bytes);
/// Frees what security_open has made, and lets OpenSSL draw new random numbers: a copy of this process has the same
/// ones otherwise.
void security_forget(Security &security);

class Connection {
public:
  /// Takes the socket over. `peer`: the peer that this node connects to; -1: the other side has connected.
  Connection(const Security &security, int fd, int peer);
  Connection(const Connection &) = delete;
  ~Connection();

  enum class Greeting { done, wants_input, wants_output, failed };
  /// Goes on with the handshake. Done: it is proved that `peer` is at the other end.
  Greeting greet();

  /// For sealed connections: receives what has come, so that `read` has something to work on. False: nothing has come.
  bool fill();
  /// Reads at most `room` bytes. 0: there is nothing more now (or the end, then `ended` says so).
  size_t read(void *to, size_t room);
  /// The same, for plain connections, into up to two places.
  size_t read(const iovec *parts, int count);
  /// Returns how much was written. 0: the socket is full, or broken (`ended`). A sealed connection writes of the first
  /// part only, and must be given again what it has refused. `more`: something will follow at once.
  size_t write(const iovec *parts, int count, bool more);

  /// Null, or why nothing comes or goes any more.
  const char *ended() const { return __atomic_load_n(&why_, __ATOMIC_RELAXED); } // a reader and a writer may find it

  /// The descriptor's number belongs to somebody else in this process: it is not closed.
  void forget_socket() { owned_ = false; }

  const int fd;
  int peer;             // -1: not known yet
  bool vouched = false; // what has come was written by a process that knows the key, but may have been recorded

  // For acquaintance.cpp, during the handshake
  Connection *next = nullptr;
  uint32_t id = 0;
  uint64_t since_ns = 0;

private:
  static int bio_read(BIO *bio, char *to, int room);
  static int bio_write(BIO *bio, const char *from, int bytes);
  static long bio_ctrl(BIO *bio, int command, long number, void *pointer);
  static int find_session(SSL *ssl, const unsigned char *identity, size_t bytes, SSL_SESSION **session);
  static int use_session(SSL *ssl, const EVP_MD *hash, const unsigned char **identity, size_t *bytes,
                         SSL_SESSION **session);
  friend bool security_open(Security &security, char *error, size_t error_bytes);

  bool expects(const Pair &pair) const;
  SSL_SESSION *session_of(SSL *ssl, const Pair &pair) const;
  Greeting greet_sealed();
  Greeting greet_plain();
  bool receive_part(size_t end);
  bool send_part(const void *part, size_t bytes);
  bool failed(const char *why);
  bool failed_by_errno();
  bool failed_by_tls();
  void renew_key(size_t written);

  const Security &security_;
  SSL *ssl_ = nullptr;
  char *raw_ = nullptr; // what TLS has not had yet
  size_t raw_at_ = 0, raw_end_ = 0;
  bool greeted_ = false, more_ = false, owned_ = true;
  const char *why_ = nullptr;
  size_t received_ = 0;  // during the handshake
  Pair identity_;        // in TLS
  PlainHandshake plain_; // without TLS
  size_t plain_at_ = 0;  // how much of it has been sent and received
  uint64_t records_ = 0; // written under the present key
};

} // namespace skein::tcp

#endif
