// The files of a run that have names are in a folder of its own, which is gone when the run is: the sockets of its
// nodes' monitors (monitor/monitor.h), and what they record. Memory that nodes share has no name.
//
// The launcher may be killed, too. A *keeper* outlives it by a moment: a process in a session of its own, with every
// signal blocked, that holds pidfds of the nodes and sleeps on a socket. When that closes without a farewell, the
// keeper kills the nodes that still live, waits for them, and removes the folder. The launcher waits neither for the
// keeper nor for the process that starts it: both may be stopped or killed, and end with the run all the same.
// Rejected: to let the next run clean up, since nobody knows when that is.
#ifndef SKEIN_LAUNCH_COMMAND_RUN_FOLDER_H
#define SKEIN_LAUNCH_COMMAND_RUN_FOLDER_H

#include <string>
#include <sys/types.h>

namespace skein::launch {

/// Where the folder may be, and its name in the way of scanf: the number is the launcher's process.
inline constexpr const char *run_folder_parents[] = {"/dev/shm", "/tmp"};
inline constexpr char run_folder_name[] = "skein-%d-";
/// The one of them that can be written to: in memory, except in a bare chroot.
const char *run_folder_parent();

class RunFolder {
public:
  RunFolder() = default;
  RunFolder(const RunFolder &) = delete;
  /// Called when all nodes have ended.
  ~RunFolder();

  /// Makes the folder in `parent`, and starts its keeper. `other`: one that is removed with it; empty: there is none.
  /// Throws a std::string.
  void make(const char *parent, const std::string &other);
  /// Makes the keeper wait for this node, too.
  void add(int pidfd);

  /// Collects what is left of the keeper's start; to be called now and then.
  void settle();

  const std::string &path() const { return path_; }

private:
  std::string path_;  // empty: there is none
  std::string other_; // likewise
  int keeper_ = -1;   // socket
  pid_t between_ = 0; // the process that has forked the keeper, or is about to
};

} // namespace skein::launch

#endif
