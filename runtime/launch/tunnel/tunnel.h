// A tunnel carries the bytes of one socket of this host through a TCP connection whose other end has proved that it
// knows the key, and back: TLS 1.3 with a pre-shared key, as between nodes (net/wire/tcp/connection.h). `skein run
// --listen` and `skein join` speak through it as they do through ssh.
//
//  * Before the proof nothing of what has come is believed, at most 4 KiB of it are read, by OpenSSL alone, and there
//  is
//    no answer but TLS's own.
//  * Both sides' keys for a connection are fresh, so a recorded beginning is of no use to anybody.
//  * At most `strangers_most` connections wait to be proved, each for `greeting_ms`. One more puts out the one that has
//    waited longest.
#ifndef SKEIN_LAUNCH_TUNNEL_TUNNEL_H
#define SKEIN_LAUNCH_TUNNEL_TUNNEL_H

#include "net/wire/tcp/connection.h"

#include <cstdint>
#include <poll.h>
#include <string>
#include <vector>

namespace skein::tunnel {

inline constexpr size_t strangers_most = 64;
inline constexpr uint64_t greeting_ms = 5000;
inline constexpr uint64_t connect_ms = 60000; // how long a listener that is not there yet is looked for

/// The content of a file that nobody but its owner may read, of the size of a secret. Throws a std::string.
std::string read_key(const std::string &file);

/// A connection, proved or not yet, and the socket whose bytes it carries.
class Tunnel {
public:
  /// Takes the connected socket over. `connects`: this side has connected.
  Tunnel(const tcp::Security &security, int socket, bool connects);
  Tunnel(const Tunnel &) = delete;
  ~Tunnel();

  /// Goes on with the proof. False: it has failed, and why() says so.
  bool greet();
  bool proved() const { return proved_; }
  const char *why() const { return connection_.ended(); }
  /// From here on the bytes of this socket (owned from here on) go through.
  void carry(int local);

  /// What to wait for, at most two descriptors.
  void wants(std::vector<pollfd> &all) const;
  /// Does what can be done now. False: it has come to its end.
  bool work();

  uint64_t since_ms = 0;

private:
  bool to_local();
  bool to_connection();

  static constexpr size_t held_most = 1 << 20; // bytes that wait in one direction before no more are taken in
  tcp::Connection connection_;
  int local_ = -1;
  bool proved_ = false;
  bool local_ended_ = false;
  short greeting_wants_;
  std::string inward_, outward_; // bytes on the way to the local socket, and to the other side
};

/// "address:port", "[address]:port" or ":port" (all addresses); "fd:number" listens already. Throws a std::string.
struct Endpoint {
  std::string address, port;
};
Endpoint parse_endpoint(const std::string &text);
/// Several, with commas between them.
std::vector<Endpoint> parse_endpoints(const std::string &list);

/// Listens, and hands the launcher what was proved. Returns the exit status.
int listen(const Endpoint &at, const std::string &key_file, int control);
/// Connects, in the first of these ways in which somebody listens, and carries the bytes of a local socket until one
/// side ends. Returns the exit status. Throws a std::string.
int connect(const std::vector<Endpoint> &ways, const std::string &key_file, int local);

} // namespace skein::tunnel

#endif
