// Runs of this user that go on, and the programs that look at them.
#ifndef SKEIN_LAUNCH_COMMAND_RUNS_H
#define SKEIN_LAUNCH_COMMAND_RUNS_H

#include <string>
#include <vector>

namespace skein::launch {

/// The folder of the run whose launcher is the process `which`; of the only run, if `which` is empty; or `which`
/// itself, if that is a folder. Throws a std::string that lists the runs.
std::string find_run(const std::string &which);

/// The command line of skein-monitor (launch/monitors), which looks at runs: the `skein` command itself stays small,
/// and starts quickly. Throws a std::string if it is missing.
std::vector<std::string> monitor_command(const std::vector<std::string> &arguments);

/// Becomes that process. Throws a std::string.
int become(const std::vector<std::string> &command);

} // namespace skein::launch

#endif
