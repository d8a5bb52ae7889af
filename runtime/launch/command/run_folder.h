// A folder of its own for the files of a run's shared memory, which is gone when the run is.
//
// UCX makes a file in /dev/shm for each queue, and removes its name as soon as the memory is mapped. A node that is
// killed in between leaves megabytes behind, under a name that tells nobody whose they are. So a run has its files in a
// folder of its own, and whatever is in it when the nodes have ended is removed with it.
//
// The launcher may be killed, too. A *keeper* outlives it by a moment: a process in a session of its own, with every
// signal blocked, that holds pidfds of the nodes and sleeps on a socket. When that closes without a farewell, it kills
// the nodes that still live, waits for them, and removes the folder. The launcher waits neither for it nor for what
// starts it: both may be stopped or killed, as anybody may, and end with the run all the same. Rejected: to let the
// next run clean up, since nobody knows when that is; to look for files of dead nodes in /dev/shm, since UCX's names
// have no process in them.
#ifndef SKEIN_LAUNCH_COMMAND_RUN_FOLDER_H
#define SKEIN_LAUNCH_COMMAND_RUN_FOLDER_H

#include <string>
#include <sys/types.h>

namespace skein::launch {

class RunFolder {
public:
  RunFolder() = default;
  RunFolder(const RunFolder &) = delete;
  /// All nodes have ended.
  ~RunFolder();

  /// Make it in `parent`, and start its keeper. Throws a std::string.
  void make(const char *parent);
  /// The keeper is to wait for this node, too.
  void add(int pidfd);

  /// Collect what is left of the keeper's start, now and then.
  void settle();

  const std::string &path() const { return path_; }

private:
  std::string path_;  // empty: there is none
  int keeper_ = -1;   // socket
  pid_t between_ = 0; // has forked the keeper, or is about to
};

} // namespace skein::launch

#endif
