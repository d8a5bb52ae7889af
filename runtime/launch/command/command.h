// Subcommands of `skein`. Each has one file, and one row in skein.cpp's table. CLI11 reads their command lines.
#ifndef SKEIN_LAUNCH_COMMAND_COMMAND_H
#define SKEIN_LAUNCH_COMMAND_COMMAND_H

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace skein::traces {
class Recording;
}

namespace skein::launch {

using Arguments = std::vector<std::string>;

/// What a command does once its line has been read; returns the exit status. Throws a std::string about a line that is
/// wrong in a way that CLI11 cannot tell.
using Action = std::function<int()>;

struct Command {
  const char *name;
  const char *summary; // one line for `skein help`
  /// Declares options and arguments, and the texts around them: the description, from "usage:" on, stands above the
  /// options, the footer below. The action keeps what the options are read into.
  Action (*declare)(CLI::App &line);
};

extern const Command run_command;
extern const Command doctor_command;
extern const Command knobs_command;
extern const Command explain_command;
extern const Command gdb_command;
extern const Command maps_command;
extern const Command bench_command;
extern const Command trace_command;
extern const Command top_command;
extern const Command ps_command;
extern const Command status_command;
extern const Command web_command;
extern const Command node_command;
extern const Command checkpoint_command;
extern const Command restart_command;
extern const Command join_command;
extern const Command rank_command;
extern const Command agent_command;

/// Writes a recording for a viewer: Chrome's JSON if the name ends with .json, else Perfetto's format.
void write_trace(traces::Recording &recording, const std::string &to);

/// What a node's environment needs so that UCX uses these of its transports (UCX_TLS), and no others. Variables that
/// the user has set take precedence, except UCX_TLS.
std::vector<std::pair<std::string, std::string>> ucx_environment(const std::string &names);

/// What nodes that make checkpoints need in their environment. Variables that the user has set take precedence.
void add_checkpoint_environment(std::vector<std::pair<std::string, std::string>> &environment);

/// The cores that this process may run on; none if the system does not tell.
std::vector<int> usable_cores();

/// The paths of a transport ("shm", "tcp", "ucx"), of the library that writes and reads copies of nodes, and of the
/// program that carries lines to other hosts.
std::string transport_library(const std::string &transport);
std::string checkpoint_library();
std::string tunnel_program();

/// Directory of the running `skein` program.
std::string program_directory();

} // namespace skein::launch

#endif
