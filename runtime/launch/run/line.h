// Lines to other hosts: a socket, on whose far end an agent speaks (stream.h), and what there is to say about it. A
// line is one that the launcher has made, through ssh; or one that was made to it by `skein join`, through
// skein-tunnel.
#ifndef SKEIN_LAUNCH_RUN_LINE_H
#define SKEIN_LAUNCH_RUN_LINE_H

#include "launch/run/loop.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace skein::launch {

struct Line {
  std::string host; // as the user knows it: a name, or an address
  int socket = -1;
  pid_t process = 0;   // that carries this line alone, and is to be waited for; 0: there is none
  std::string carrier; // what carries it, for messages
  bool called = false; // the launcher has made it, so a host that does not answer is a mistake
};

/// Starts `ssh` (a command and its first arguments), which is to start the command `agent` on the host. Throws a
/// std::string.
Line call_by_ssh(const std::string &host, const std::vector<std::string> &ssh, const std::string &agent);

/// Starts a program as a child that holds one end of a socket pair: as its standard input and output, or, if `socket`
/// is given, as a descriptor of which the arguments' word "SOCKET" is to be the number. Returns our end. Throws a
/// std::string.
int start_with_socket(std::vector<std::string> words, int kind, bool as_standard, pid_t &process);

/// Where lines come in: skein-tunnel, which listens, and lets in those who know the key.
class Door {
public:
  /// Starts it. Throws a std::string.
  Door(Loop &loop, const std::string &at, const std::string &key_file);
  Door(const Door &) = delete;
  ~Door();

  /// Called with the address on which it listens, when it does.
  std::function<void(const std::string &)> on_open;
  /// Called with each line that has come in.
  std::function<void(Line)> on_line;
  /// Nobody else is let in. Lines that are open stay.
  void shut();

private:
  void on_control();

  Loop &loop_;
  pid_t process_ = 0; // before what sets it
  int control_;
};

} // namespace skein::launch

#endif
