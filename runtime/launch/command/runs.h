// Runs of this user that go on, and the programs that look at them.
#ifndef SKEIN_LAUNCH_COMMAND_RUNS_H
#define SKEIN_LAUNCH_COMMAND_RUNS_H

#include <string>
#include <vector>

namespace skein::launch {

struct Run {
  int launcher; // the process of its `skein run`; 0: unknown, and so are the age and the words
  std::string folder;
  double age_s;
  std::string words; // the launcher's command line, cut to what fits a terminal
};

/// Those that `skein run` has started on this machine, and whose folders have this socket.
std::vector<Run> runs_of_user(const std::string &socket = "node-0");
/// The run whose launcher is the process `which`; the only run, if `which` is empty; or the one in the folder `which`.
/// Throws a std::string that lists the runs.
Run find_run(const std::string &which, const std::string &socket = "node-0");

/// The command line of skein-monitor (launch/monitors), which looks at runs: the `skein` command itself stays small,
/// and starts quickly. Throws a std::string if it is missing.
std::vector<std::string> monitor_command(const std::vector<std::string> &arguments);

/// What skein-monitor is told of a run: five words.
void add_to(std::vector<std::string> &arguments, const Run &run);

/// Becomes that process. Throws a std::string.
int become(const std::vector<std::string> &command);

} // namespace skein::launch

#endif
