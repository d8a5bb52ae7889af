// The `skein` command finds the subcommand and calls it. Everything about a subcommand, its help included, is in its
// own file.
#include "checkpoint/store.h"
#include "launch/command/command.h"
#include "net/wire/bootstrap.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sched.h>
#include <skein/version.h>
#include <unistd.h>

namespace skein::launch {

namespace {

std::string called_as;

const Command *const commands[] = {
    &run_command,        &ps_command,      &status_command, &top_command,   &web_command,     &node_command,
    &checkpoint_command, &restart_command, &trace_command,  &bench_command, &explain_command, &gdb_command,
    &maps_command,       &doctor_command,  &knobs_command,  &join_command,  &agent_command,   &rank_command};

const Command *find_command(const std::string &name) {
  for (const Command *command : commands)
    if (name == command->name)
      return command;
  return nullptr;
}

void print_overview(FILE *to) {
  fputs("usage: skein <command> …\n\n", to);
  for (const Command *command : commands)
    fprintf(to, "  %-10s %s\n", command->name, command->summary);
  fputs("\n`skein help <command>` explains one. Programs are compiled with `skeincc`. This is " SKEIN_VERSION_TEXT
        ".\n",
        to);
}

/// Help pages: the description, the options, the footer.
class Pages : public CLI::Formatter {
public:
  Pages() { column_width(22); }

  std::string make_help(const CLI::App *line, std::string, CLI::AppFormatMode mode) const override {
    return line->get_description() + make_groups(line, mode) + make_footer(line);
  }
  std::string make_footer(const CLI::App *line) const override {
    return line->get_footer().empty() ? "" : "\n" + line->get_footer();
  }
  std::string make_option_name(const CLI::Option *option, bool positional) const override {
    const std::string names = option->get_name(positional, true);
    const size_t comma = names.find(',');
    return comma == std::string::npos ? names : names.substr(0, comma) + ", " + names.substr(comma + 1);
  }
  std::string make_option_opts(const CLI::Option *option) const override {
    return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
  }
};

/// Reports a wrong command line, with a hint, on stderr; returns 2.
int usage_error(const Command &command, const std::string &message) {
  fprintf(stderr, "skein %s: %s\n`skein help %s` explains the command.\n", command.name, message.c_str(), command.name);
  return 2;
}

int run(const Command &command, Arguments arguments) {
  CLI::App line;
  line.formatter(std::make_shared<Pages>());
  line.set_help_flag("-h,--help", "print this text");
  const Action act = command.declare(line);
  try {
    std::reverse(arguments.begin(), arguments.end()); // CLI11 takes the last one first
    line.parse(std::move(arguments));
    return act();
  } catch (const CLI::CallForHelp &) {
    fputs(line.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ExtrasError &) {
    const std::string first = line.remaining()[0];
    return usage_error(command, first[0] == '-' ? "there is no option '" + first + "'"
                                                : "there is one argument too many: '" + first + "'");
  } catch (const CLI::ParseError &error) {
    return usage_error(command, error.what());
  } catch (const std::string &message) {
    return usage_error(command, message);
  }
}

int dispatch(const Arguments &all) {
  if (all.empty()) {
    print_overview(stderr);
    return 2;
  }
  const bool help = all[0] == "help" || all[0] == "--help" || all[0] == "-h";
  if (help && all.size() == 1) {
    print_overview(stdout);
    return 0;
  }
  if (all[0] == "--version") {
    puts("skein " SKEIN_VERSION_TEXT);
    return 0;
  }
  const std::string &name = all[help ? 1 : 0];
  if (const Command *command = find_command(name))
    return run(*command, help ? Arguments{"--help"} : Arguments(all.begin() + 1, all.end()));
  fprintf(stderr, "skein: there is no command '%s'\n\n", name.c_str());
  print_overview(stderr);
  return 2;
}

} // namespace

std::vector<int> usable_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; core++)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  return cores;
}

std::string transport_library(const std::string &transport) {
  return program_directory() + "/../lib/skein/libskein_" + transport + ".so";
}

void add_checkpoint_environment(std::vector<std::pair<std::string, std::string>> &environment) {
  environment.emplace_back(bootstrap::checkpoint_variable, checkpoint_library());
  // All nodes wait while one forks, and a fork copies the table of all pages. With huge pages (where the system has
  // them for those who ask) that is 1 ms for a GiB of malloc's memory, and 25 without.
  environment.emplace_back("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
}

std::string checkpoint_library() { return program_directory() + "/../lib/skein/" SKEIN_CHECKPOINT_LIBRARY; }

std::string tunnel_program() { return program_directory() + "/../lib/skein/skein-tunnel"; }

std::string program_directory() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string whole(path, length > 0 ? static_cast<size_t>(length) : 0);
  if (length <= 0) { // in a bare chroot without /proc: the name under which it was called
    if (called_as.find('/') == std::string::npos || !realpath(called_as.c_str(), path))
      throw std::string("cannot tell where this program is: mount /proc, or call it by its path");
    whole = path;
  }
  return whole.substr(0, whole.rfind('/'));
}

} // namespace skein::launch

int main(int argc, char **argv) {
  skein::launch::called_as = argv[0];
  return skein::launch::dispatch({argv + 1, argv + argc});
}
