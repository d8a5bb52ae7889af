// `skein gdb`: gdb with its commands for threads (launch/debugger/skein.py), on a program, a process or a whole run.
#include "launch/command/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein gdb PID | arguments of gdb

Starts gdb with commands for the threads of Skein, which it does not see otherwise unless they run:

    skein threads       list them: state, where they are, what they wait in; and which are on other nodes
    skein thread ID     look at a suspended one: backtrace, up, print and so on show its frames
    skein bt ID|all     print their frames
    help skein          all of them

  PID                   attach to that process; if it is a `skein run`, to all nodes of the run
  arguments of gdb      such as PROGRAM, PROGRAM CORE or --args PROGRAM ARGUMENT...
)";

constexpr char footer[] = R"(A gdb that is started otherwise has the commands after `source FILE`, which may stand in
~/.gdbinit. (The Debian package skein-gdb does that for all users.)
)";

std::string script() {
  const std::string bin = program_directory();
  return bin.substr(0, bin.rfind('/')) + "/share/skein/gdb/skein.py";
}

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The parent of a process; 0: there is no such process. Its name, in parentheses, may contain anything.
pid_t parent_of(const std::string &pid) {
  const std::string status = contents("/proc/" + pid + "/stat");
  const size_t after = status.rfind(')');
  return after == std::string::npos ? 0 : static_cast<pid_t>(strtol(status.c_str() + after + 4, nullptr, 10));
}

/// Whether the launcher has started it as a node.
bool is_node(const std::string &pid) {
  const std::string environment = '\0' + contents("/proc/" + pid + "/environ");
  return environment.find(std::string("\0SKEIN_BOOTSTRAP=", 17)) != std::string::npos;
}

/// The nodes of the run whose launcher that is, by process id; none if it is no launcher.
Arguments nodes_of(const std::string &launcher) {
  Arguments nodes;
  DIR *processes = opendir("/proc");
  if (!processes)
    throw std::string("cannot read /proc: ") + strerror(errno);
  while (const dirent *entry = readdir(processes)) {
    const std::string pid = entry->d_name;
    if (pid.find_first_not_of("0123456789") == std::string::npos && std::to_string(parent_of(pid)) == launcher &&
        is_node(pid))
      nodes.push_back(pid);
  }
  closedir(processes);
  std::sort(nodes.begin(), nodes.end(),
            [](const std::string &a, const std::string &b) { return std::stol(a) < std::stol(b); });
  return nodes;
}

int run(const Arguments &arguments) {
  if (access(script().c_str(), R_OK) != 0)
    throw "the commands for gdb are not where they belong: cannot read " + script() + ": " + strerror(errno);
  Arguments words = {"gdb", "-q", "-x", script()};
  const bool is_pid = !arguments.empty() && !arguments[0].empty() &&
                      arguments[0].find_first_not_of("0123456789") == std::string::npos &&
                      access(arguments[0].c_str(), F_OK) != 0;
  if (is_pid) {
    if (parent_of(arguments[0]) == 0)
      throw "there is no process " + arguments[0];
    Arguments nodes = nodes_of(arguments[0]);
    if (nodes.empty())
      nodes = {arguments[0]};
    std::string attach = "skein attach";
    for (const std::string &pid : nodes)
      attach += " " + pid;
    words.insert(words.end(), {"-ex", attach});
  }
  words.insert(words.end(), arguments.begin() + is_pid, arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw std::string("cannot run gdb: ") + strerror(errno) + " (apt-get install gdb)";
}

Action declare(CLI::App &line) {
  line.description(description)->footer(footer);
  line.prefix_command();
  auto print = std::make_shared<bool>();
  line.add_flag("--print-script", *print, "print the FILE of these commands");
  return [&line, print] {
    if (!*print)
      return run(line.remaining());
    puts(script().c_str());
    return 0;
  };
}

} // namespace

extern const Command gdb_command = {"gdb", "debug a program, a process or all nodes of a run, with its threads",
                                    declare};

} // namespace skein::launch
