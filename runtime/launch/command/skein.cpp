// The `skein` command finds the subcommand and calls it. Everything about a subcommand, its help included, is in its
// own file.
#include "launch/command/command.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <skein/version.h>
#include <unistd.h>

namespace skein::launch {

namespace {

std::string called_as;

const Command *const commands[] = {&run_command,  &bench_command,  &explain_command, &gdb_command,
                                   &maps_command, &doctor_command, &knobs_command};

const Command *find_command(const std::string &name) {
  for (const Command *command : commands)
    if (name == command->name)
      return command;
  return nullptr;
}

void print_overview(FILE *to) {
  fputs("usage: skein <command> …\n\n", to);
  for (const Command *command : commands)
    fprintf(to, "  %-8s %s\n", command->name, command->summary);
  fputs("\n`skein help <command>` explains one. Programs are compiled with `skeincc`. This is " SKEIN_VERSION_TEXT
        ".\n",
        to);
}

int dispatch(const Arguments &all) {
  if (all.empty()) {
    print_overview(stderr);
    return 2;
  }
  std::string name = all[0];
  Arguments rest(all.begin() + 1, all.end());
  bool help = name == "help" || name == "--help" || name == "-h";
  if (help && rest.empty()) {
    print_overview(stdout);
    return 0;
  }
  if (help)
    name = rest[0];
  if (name == "--version") {
    puts("skein " SKEIN_VERSION_TEXT);
    return 0;
  }
  const Command *command = find_command(name);
  if (!command) {
    fprintf(stderr, "skein: there is no command '%s'\n\n", name.c_str());
    print_overview(stderr);
    return 2;
  }
  help |= !rest.empty() && (rest[0] == "--help" || rest[0] == "-h");
  if (help && command->help) {
    fputs(command->help, stdout);
    return 0;
  }
  try {
    return command->run(help ? Arguments{"--help"} : rest);
  } catch (const std::string &message) {
    return usage_error(*command, message);
  }
}

} // namespace

int usage_error(const Command &command, const std::string &message) {
  fprintf(stderr, "skein %s: %s\n`skein help %s` explains the command.\n", command.name, message.c_str(), command.name);
  return 2;
}

bool option_value(const Arguments &arguments, size_t &at, const std::string &name, std::string &value) {
  const std::string &argument = arguments[at];
  bool letter = name.size() == 2;
  if (argument == name) {
    if (at + 1 == arguments.size())
      throw name + " needs a value";
    value = arguments[++at];
    return true;
  }
  std::string start = letter ? name : name + "=";
  if (argument.compare(0, start.size(), start) != 0)
    return false;
  value = argument.substr(start.size());
  return true;
}

std::vector<int> usable_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; core++)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  return cores;
}

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
