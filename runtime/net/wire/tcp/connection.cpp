// One TCP connection; see connection.h.
#include "net/wire/tcp/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace skein::tcp {

namespace {

constexpr size_t raw_bytes = 64 << 10;
/// How much a stranger may make this node read. A handshake has some 400 bytes.
constexpr size_t greeting_most = 4096;
constexpr size_t record_most = SSL3_RT_MAX_PLAIN_LENGTH;
/// A full record leaves at once, so that the other side decrypts it while this one encrypts the next (64 KiB: 49 us
/// instead of 56), unless so little follows that a packet of its own would cost more.
constexpr size_t small_rest = 4096;
/// AES-GCM under one key is good for 2^24.5 full records (RFC 8446, 5.5). A new key costs microseconds, so it comes
/// much earlier: then every long transfer tests it.
constexpr uint64_t records_a_key = 1 << 12;
constexpr unsigned char suite[] = {0x13, 0x01}; // TLS_AES_128_GCM_SHA256

} // namespace

bool security_open(Security &security, char *error, size_t error_bytes) {
  // OpenSSL would free all it has among the exit handlers of the process, while the network's kernel thread may just
  // end and give back what OpenSSL keeps for it. Nobody needs that memory any more.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
  if (!security.sealed)
    return true;
  // OpenSSL's own BIO over a socket, kernel TLS included; only its reads and writes are ours.
  const BIO_METHOD *socket = BIO_s_socket();
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "skein");
  SSL_CTX *context = SSL_CTX_new(TLS_method());
  if (!method || !context || !BIO_meth_set_create(method, BIO_meth_get_create(socket)) ||
      !BIO_meth_set_destroy(method, BIO_meth_get_destroy(socket)) || !BIO_meth_set_ctrl(method, Connection::bio_ctrl) ||
      !BIO_meth_set_read(method, Connection::bio_read) || !BIO_meth_set_write(method, Connection::bio_write) ||
      !SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) ||
      !SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) ||
      !SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") || !SSL_CTX_set1_groups_list(context, "X25519") ||
      !SSL_CTX_set_num_tickets(context, 0)) {
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    snprintf(error, error_bytes, "OpenSSL cannot do TLS 1.3 with AES-128-GCM and X25519: %s",
             reason ? reason : "out of memory");
    return false;
  }
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_ENABLE_KTLS);
  SSL_CTX_clear_options(context, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_psk_find_session_callback(context, Connection::find_session);
  SSL_CTX_set_psk_use_session_callback(context, Connection::use_session);
  security.context = context;
  security.method = method;
  return true;
}

void security_forget(Security &security) {
  SSL_CTX_free(security.context);
  BIO_meth_free(security.method);
  security.context = nullptr;
  security.method = nullptr;
  RAND_poll();
}

Connection::Connection(const Security &security, int socket, int to) : fd(socket), peer(to), security_(security) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  memset(&plain_, 0, sizeof plain_);
  identity_ = Pair::of(static_cast<uint32_t>(security.self), static_cast<uint32_t>(to));
  if (!security.sealed)
    return;
  raw_ = static_cast<char *>(malloc(raw_bytes));
  ssl_ = SSL_new(security.context);
  BIO *bio = ssl_ ? BIO_new(security.method) : nullptr;
  if (!raw_ || !bio) {
    failed("there is no memory for a connection");
    return;
  }
  BIO_set_fd(bio, fd, BIO_NOCLOSE);
  BIO_set_app_data(bio, this);
  SSL_set_app_data(ssl_, this);
  SSL_set_bio(ssl_, bio, bio);
  if (to < 0) {
    SSL_set_accept_state(ssl_); // there is no certificate, so only the key can be used
  } else {
    SSL_set_connect_state(ssl_);
    // A server that shows a certificate instead of knowing the key is refused, since none is trusted.
    SSL_set_verify(ssl_, SSL_VERIFY_PEER, nullptr);
  }
}

Connection::~Connection() {
  SSL_free(ssl_);
  free(raw_);
  if (owned_)
    ::close(fd);
}

bool Connection::failed(const char *why) {
  const char *none = nullptr;
  __atomic_compare_exchange_n(&why_, &none, why, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return false;
}

bool Connection::failed_by_errno() { return failed(strerrordesc_np(errno)); }

bool Connection::failed_by_tls() {
  const char *reason = ERR_reason_error_string(ERR_peek_last_error());
  failed(reason ? reason : "TLS has failed");
  ERR_clear_error();
  return false;
}

// TLS -----------------------------------------------------------------------------------------------------------------

int Connection::bio_read(BIO *bio, char *to, int room) {
  auto &self = *static_cast<Connection *>(BIO_get_app_data(bio));
  BIO_clear_retry_flags(bio);
  const size_t bytes = std::min(static_cast<size_t>(room), self.raw_end_ - self.raw_at_);
  if (bytes == 0) { // `fill` finds the end of the stream
    BIO_set_retry_read(bio);
    return -1;
  }
  memcpy(to, self.raw_ + self.raw_at_, bytes);
  self.raw_at_ += bytes;
  return static_cast<int>(bytes);
}

int Connection::bio_write(BIO *bio, const char *from, int bytes) {
  auto &self = *static_cast<Connection *>(BIO_get_app_data(bio));
  constexpr int ktls_control = 0x1000; // BIO_FLAGS_KTLS_TX_CTRL_MSG: an alert, which kernel TLS sends in another way
  if (BIO_test_flags(bio, ktls_control))
    return BIO_meth_get_write(BIO_s_socket())(bio, from, bytes);
  BIO_clear_retry_flags(bio);
  const ssize_t sent =
      ::send(self.fd, from, static_cast<size_t>(bytes), MSG_NOSIGNAL | MSG_DONTWAIT | (self.more_ ? MSG_MORE : 0));
  if (sent >= 0)
    return static_cast<int>(sent);
  if (errno == EAGAIN || errno == EINTR)
    BIO_set_retry_write(bio);
  else
    self.failed_by_errno();
  return -1;
}

long Connection::bio_ctrl(BIO *bio, int command, long number, void *pointer) {
  constexpr int set_ktls = 72; // BIO_CTRL_SET_KTLS; `number`: of what is sent
  if (command == set_ktls && !number)
    return 0; // not for what is received: that is read in large pieces, which kernel TLS does not give
  return BIO_meth_get_ctrl(BIO_s_socket())(bio, command, number, pointer);
}

/// Whether a node of this pair may connect to this one.
bool Connection::expects(const Pair &pair) const {
  const Pair right = Pair::of(pair.from, static_cast<uint32_t>(security_.self));
  return memcmp(&pair, &right, sizeof pair) == 0 && pair.from < pair.to; // so it is a node
}

SSL_SESSION *Connection::session_of(SSL *ssl, const Pair &pair) const {
  uint8_t key[key_bytes];
  pair_key(security_.secret, pair, true, key);
  SSL_SESSION *session = SSL_SESSION_new();
  const bool good = session && SSL_SESSION_set1_master_key(session, key, sizeof key) &&
                    SSL_SESSION_set_cipher(session, SSL_CIPHER_find(ssl, suite)) &&
                    SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION);
  OPENSSL_cleanse(key, sizeof key);
  if (good)
    return session;
  SSL_SESSION_free(session);
  return nullptr;
}

int Connection::find_session(SSL *ssl, const unsigned char *identity, size_t bytes, SSL_SESSION **session) {
  auto &self = *static_cast<Connection *>(SSL_get_app_data(ssl));
  *session = nullptr;
  if (bytes != sizeof self.identity_)
    return 1; // no session: the handshake ends, since there is no certificate either
  memcpy(&self.identity_, identity, bytes);
  if (self.expects(self.identity_))
    *session = self.session_of(ssl, self.identity_);
  return 1;
}

int Connection::use_session(SSL *ssl, const EVP_MD *hash, const unsigned char **identity, size_t *bytes,
                            SSL_SESSION **session) {
  auto &self = *static_cast<Connection *>(SSL_get_app_data(ssl));
  *session = nullptr;
  if (hash && !EVP_MD_is_a(hash, "SHA256"))
    return 0;
  *session = self.session_of(ssl, self.identity_);
  *identity = reinterpret_cast<const unsigned char *>(&self.identity_);
  *bytes = sizeof self.identity_;
  return *session != nullptr;
}

Connection::Greeting Connection::greet_sealed() {
  for (;;) {
    const int status = SSL_do_handshake(ssl_);
    // From here TLS knows that the other side has the key; it says so of a client before it says it of a server.
    if (!ended() && SSL_session_reused(ssl_) && peer < 0)
      peer = static_cast<int>(identity_.from);
    vouched = vouched || (SSL_is_server(ssl_) && peer >= 0);
    if (ended())
      return Greeting::failed;
    if (status == 1) {
      if (!SSL_session_reused(ssl_)) {
        failed("it does not know the key of this run");
        return Greeting::failed;
      }
      return Greeting::done;
    }
    if (SSL_want_write(ssl_))
      return Greeting::wants_output;
    if (!SSL_want_read(ssl_) || raw_at_ < raw_end_) {
      failed_by_tls();
      return Greeting::failed;
    }
    if (!fill())
      return ended() ? Greeting::failed : Greeting::wants_input;
  }
}

bool Connection::fill() {
  if (raw_at_ < raw_end_)
    return true;
  // What follows the handshake may come together with its end.
  const size_t room = greeted_ ? raw_bytes : greeting_most - received_;
  if (room == 0)
    return failed("more than a handshake has come before it was over");
  const ssize_t bytes = ::recv(fd, raw_, room, MSG_DONTWAIT);
  if (bytes > 0) {
    raw_at_ = 0;
    raw_end_ = static_cast<size_t>(bytes);
    if (!greeted_)
      received_ += raw_end_;
    return true;
  }
  if (bytes == 0)
    return failed("the connection was closed");
  if (errno != EAGAIN && errno != EINTR)
    failed_by_errno();
  return false;
}

/// Kernel TLS renews keys itself, in newer versions.
void Connection::renew_key(size_t written) {
  if (++records_ < records_a_key || BIO_get_ktls_send(SSL_get_wbio(ssl_)))
    return;
  if (written && SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED))
    records_ = 0;
}

// Plain ---------------------------------------------------------------------------------------------------------------

/// Receives the handshake up to `end`.
bool Connection::receive_part(size_t end) {
  while (plain_at_ < end) {
    const ssize_t bytes = ::recv(fd, reinterpret_cast<char *>(&plain_) + plain_at_, end - plain_at_, MSG_DONTWAIT);
    if (bytes == 0)
      return failed("the connection was closed");
    if (bytes < 0)
      return errno == EAGAIN || errno == EINTR ? false : failed_by_errno();
    plain_at_ += static_cast<size_t>(bytes);
  }
  return true;
}

bool Connection::send_part(const void *part, size_t bytes) {
  const ssize_t sent = ::send(fd, part, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<ssize_t>(bytes)) { // a new socket has room for so little
    plain_at_ += bytes;
    return true;
  }
  return sent < 0 ? failed_by_errno() : failed("the socket is full");
}

Connection::Greeting Connection::greet_plain() {
  constexpr size_t hello_end = sizeof(PlainHello), answer_end = hello_end + sizeof(PlainAnswer),
                   finish_end = sizeof plain_;
  const auto waits = [this] { return ended() ? Greeting::failed : Greeting::wants_input; };
  const auto stranger = [this] {
    failed("it does not know the key of this run");
    return Greeting::failed;
  };
  uint8_t key[key_bytes];
  if (plain_at_ == 0 && peer >= 0) {
    plain_.hello.pair = identity_;
    pair_key(security_.secret, plain_.hello.pair, false, key);
    if (!fresh_nonce(plain_.hello.nonce))
      return failed_by_errno(), Greeting::failed;
    prove(key, PlainPart::hello, plain_);
    if (!send_part(&plain_.hello, sizeof plain_.hello))
      return Greeting::failed;
  }
  if (plain_at_ < hello_end || (peer < 0 && plain_at_ == hello_end)) {
    if (!receive_part(hello_end))
      return waits();
    pair_key(security_.secret, plain_.hello.pair, false, key);
    if (!expects(plain_.hello.pair) || plain_.hello.zero || !proved(key, PlainPart::hello, plain_))
      return stranger();
    peer = static_cast<int>(plain_.hello.pair.from);
    vouched = true;
    if (!fresh_nonce(plain_.answer.nonce))
      return failed_by_errno(), Greeting::failed;
    prove(key, PlainPart::answer, plain_);
    if (!send_part(&plain_.answer, sizeof plain_.answer))
      return Greeting::failed;
  }
  pair_key(security_.secret, plain_.hello.pair, false, key);
  if (vouched) { // the other side has connected
    if (!receive_part(finish_end))
      return waits();
    return proved(key, PlainPart::finish, plain_) ? Greeting::done : stranger();
  }
  if (!receive_part(answer_end))
    return waits();
  if (!proved(key, PlainPart::answer, plain_))
    return stranger();
  prove(key, PlainPart::finish, plain_);
  return send_part(&plain_.finish, sizeof plain_.finish) ? Greeting::done : Greeting::failed;
}

// Both ----------------------------------------------------------------------------------------------------------------

Connection::Greeting Connection::greet() {
  if (ended())
    return Greeting::failed;
  const Greeting greeting = security_.sealed ? greet_sealed() : greet_plain();
  greeted_ = greeting == Greeting::done;
  return greeting;
}

size_t Connection::read(void *to, size_t room) {
  size_t bytes = 0;
  if (raw_at_ == raw_end_ && !SSL_pending(ssl_)) // SSL_read_ex finds the same, but slowly
    return 0;
  if (SSL_read_ex(ssl_, to, room, &bytes))
    return bytes;
  if (SSL_get_shutdown(ssl_) & SSL_RECEIVED_SHUTDOWN)
    failed("the connection was closed");
  else if (!SSL_want_read(ssl_) || raw_at_ < raw_end_)
    failed_by_tls();
  return 0;
}

size_t Connection::read(const iovec *parts, int count) {
  msghdr message{};
  message.msg_iov = const_cast<iovec *>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  const ssize_t bytes =
      count == 1 ? ::recv(fd, parts->iov_base, parts->iov_len, MSG_DONTWAIT) : ::recvmsg(fd, &message, MSG_DONTWAIT);
  if (bytes > 0)
    return static_cast<size_t>(bytes);
  if (bytes == 0)
    failed("the connection was closed");
  else if (errno != EAGAIN && errno != EINTR)
    failed_by_errno();
  return 0;
}

size_t Connection::write(const iovec *parts, int count, bool more) {
  if (security_.sealed) {
    size_t bytes = 0;
    const size_t whole = std::min(parts->iov_len, record_most);
    const size_t rest = parts->iov_len - whole + (count > 1 ? parts[1].iov_len : 0);
    more_ = more || (rest && (whole < record_most || rest < small_rest));
    if (!SSL_write_ex(ssl_, parts->iov_base, whole, &bytes)) {
      if (!SSL_want_write(ssl_))
        failed_by_tls();
      return 0;
    }
    renew_key(bytes);
    return bytes;
  }
  msghdr message{};
  message.msg_iov = const_cast<iovec *>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0);
  const ssize_t bytes =
      count == 1 ? ::send(fd, parts->iov_base, parts->iov_len, flags) : ::sendmsg(fd, &message, flags);
  if (bytes >= 0)
    return static_cast<size_t>(bytes);
  if (errno != EAGAIN && errno != EINTR)
    failed_by_errno();
  return 0;
}

} // namespace skein::tcp
