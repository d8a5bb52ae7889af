// `skein bench`: the benchmarks are written in Python (test/bench/driver), and lie in share/skein/bench beside bin.
// This only finds and starts them, with what the launcher alone knows.
#include "launch/command/command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace skein::launch {

namespace {

/// The settings of UCX that a node has, one in a line, for yardsticks that are bare UCX.
std::string ucx_settings() {
  std::string lines;
  for (const auto &[name, value] : ucx_environment("posix,cma,self"))
    lines += name + "=" + value + "\n";
  return lines;
}

int run(const Arguments &arguments) {
  const std::string bin = program_directory(), root = bin.substr(0, bin.rfind('/'));
  const std::string script = root + "/share/skein/bench/driver/main.py";
  if (access(script.c_str(), R_OK) != 0)
    throw "the benchmarks are not here (an installation has none; a build tree does): cannot read " + script + ": " +
        strerror(errno);
  setenv("SKEIN_BENCH_ROOT", root.c_str(), 1);
  setenv("SKEIN_BENCH_UCX", ucx_settings().c_str(), 1);
  Arguments words = {"python3", script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw std::string("the benchmarks are written in Python, and python3 cannot be run: ") + strerror(errno) +
      " (apt-get install python3)";
}

/// The script reads its arguments itself, --help among them.
Action declare(CLI::App &line) {
  line.set_help_flag();
  line.prefix_command();
  return [&line] { return run(line.remaining()); };
}

} // namespace

extern const Command bench_command = {
    "bench", "measure the cost of being able to move (overhead, compile), of moving (migrate), of threads", declare};

} // namespace skein::launch
