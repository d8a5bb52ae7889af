// A connection to the launcher of a run (launch/run/control.h), over which it is asked for something.
#ifndef SKEIN_LAUNCH_COMMAND_LAUNCHER_LINE_H
#define SKEIN_LAUNCH_COMMAND_LAUNCHER_LINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace skein::launch {

struct LauncherAnswer {
  std::string word;
  int node = -1; // -1: none
  std::string rest;
};

struct ListedNode {
  int number = 0;
  int process = 0;  // 0: there is none any more
  std::string host; // empty: that of the launcher
  std::string state, why;
};

struct NodeList {
  int numbers = 0, founders = 0;
  std::vector<ListedNode> nodes;
};

/// What a launcher says of its run's checkpoints.
struct CheckpointNews {
  std::string folder; // empty: there are none
  int number = 0;     // of the last complete one; 0: there is none yet
  uint64_t bytes = 0, pause_ms = 0, took_ms = 0, age_ms = 0;
  std::string from;   // instead of these: when the one was made from which the run goes on
  std::string failed; // why the one after that was given up
};

class LauncherLine {
public:
  /// Of the run in that folder. Throws a std::string.
  explicit LauncherLine(const std::string &folder);
  LauncherLine(const LauncherLine &) = delete;
  ~LauncherLine();

  enum class Heard : uint8_t { answer, end, nothing };

  void ask(const std::string &request) const;
  /// Waits for the next answer, until that time (0: for ever).
  Heard hear(LauncherAnswer &answer, uint64_t until_ms) const;
  /// Asks for the nodes of the run. False: not all were told until that time.
  bool list(NodeList &list, uint64_t until_ms) const;
  /// The same for its checkpoints.
  bool last_checkpoint(CheckpointNews &news, uint64_t until_ms) const;

private:
  int socket_;
};

} // namespace skein::launch

#endif
