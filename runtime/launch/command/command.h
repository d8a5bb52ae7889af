// Subcommands of `skein`. Each has one file, and one row in skein.cpp's table.
#ifndef SKEIN_LAUNCH_COMMAND_COMMAND_H
#define SKEIN_LAUNCH_COMMAND_COMMAND_H

#include <string>
#include <utility>
#include <vector>

namespace skein::launch {

using Arguments = std::vector<std::string>;

struct Command {
  const char *name;
  const char *summary;                    // one line for `skein help`
  const char *help;                       // the whole page, from "usage:" on; null: run(--help) prints it
  int (*run)(const Arguments &arguments); // without "skein name"; returns the exit status
};

extern const Command run_command;
extern const Command doctor_command;
extern const Command knobs_command;
extern const Command explain_command;
extern const Command gdb_command;
extern const Command maps_command;
extern const Command bench_command;

/// Reports a wrong command line, with a hint, on stderr; returns 2.
int usage_error(const Command &command, const std::string &message);

/// The value of an option "--name=value" or "--name value" (or "-n5", "-n 5" for a letter). On a match, `at` is left on
/// the last argument used. False if arguments[at] is another option. Throws std::string if the value is missing.
bool option_value(const Arguments &arguments, size_t &at, const std::string &name, std::string &value);

/// What a node's environment needs so that UCX uses these of its transports (UCX_TLS), and no others. Variables that
/// the user has set take precedence, except UCX_TLS.
std::vector<std::pair<std::string, std::string>> ucx_environment(const std::string &names, int nodes);

/// The cores that this process may run on; none if the system does not tell.
std::vector<int> usable_cores();

/// Directory of the running `skein` program.
std::string program_directory();

} // namespace skein::launch

#endif
