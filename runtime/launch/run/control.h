// The socket on which a launcher takes requests of `skein node`, in the folder of the run, beside those of the nodes'
// monitors. Only the same user and root are heard. A packet is one request or one answer, in words;
// docs/wire-format.md, part 7.
#ifndef SKEIN_LAUNCH_RUN_CONTROL_H
#define SKEIN_LAUNCH_RUN_CONTROL_H

#include "launch/run/loop.h"

#include <string>
#include <vector>

namespace skein::launch {

inline constexpr char control_name[] = "launcher"; // of the socket
inline constexpr size_t control_bytes_most = 1024; // of a packet
inline constexpr char state_left[] = "has left";   // of a node in the list

class Control {
public:
  explicit Control(Loop &loop) : loop_(loop) {}
  Control(const Control &) = delete;
  ~Control();

  /// Throws a std::string.
  void listen(const std::string &path);

  /// Called with each request. Clients have numbers from 1 on, which are not used again.
  std::function<void(uint64_t client, const std::vector<std::string> &words)> on_request;
  /// Called when a client has hung up by itself.
  std::function<void(uint64_t client)> on_gone;
  /// Tells a client something, if it is still there. One that does not read is hung up on.
  void answer(uint64_t client, const std::string &text);
  /// That was all.
  void hang_up(uint64_t client);

private:
  void let_in();
  void read_from(uint64_t client);

  static constexpr size_t clients_most = 16;
  Loop &loop_;
  std::string path_;
  int listening_ = -1;
  uint64_t last_ = 0;
  std::map<uint64_t, int> clients_;
};

/// For `skein node`: connects to the launcher of the run in a folder. Throws a std::string.
int connect_to_launcher(const std::string &folder);

} // namespace skein::launch

#endif
