// The folders of runs (run_folder.h) are named by their launchers' processes; see runs.h.
#include "launch/command/runs.h"
#include "launch/command/command.h"
#include "launch/command/launcher_line.h"
#include "launch/run/clock_ms.h"
#include "launch/run/control.h"
#include "launch/run/run_folder.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace skein::launch {

namespace {

namespace fs = std::filesystem;

/// Its command line, cut to what fits a terminal.
std::string words_of(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  for (char &c : words)
    if (static_cast<unsigned char>(c) < ' ')
      c = ' ';
  while (!words.empty() && words.back() == ' ')
    words.pop_back();
  return words.size() > 90 ? words.substr(0, 87) + "..." : words;
}

/// Seconds since the process began; 0 if that is not known.
double age_of(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat"), uptime_file("/proc/uptime");
  std::string line;
  double uptime = 0;
  if (!std::getline(file, line) || !(uptime_file >> uptime) || line.rfind(')') == std::string::npos)
    return 0;
  std::istringstream fields(line.substr(line.rfind(')') + 1)); // begins with the third one
  std::string field;
  for (int number = 3; number <= 22 && fields >> field; number++)
    ;
  const double began = strtod(field.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return began < uptime ? uptime - began : 0;
}

} // namespace

std::vector<Run> runs_of_user(const std::string &socket) {
  std::vector<Run> runs;
  for (const char *parent : run_folder_parents) {
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(parent, error)) {
      Run run{0, entry.path().string(), 0, ""};
      struct stat what;
      // Not of another user, nor of a launcher that is gone: the folder will be removed.
      if (sscanf(entry.path().filename().c_str(), run_folder_name, &run.launcher) != 1 ||
          lstat(run.folder.c_str(), &what) != 0 || !S_ISDIR(what.st_mode) || what.st_uid != geteuid() ||
          access(("/proc/" + std::to_string(run.launcher)).c_str(), F_OK) != 0 ||
          access((run.folder + "/" + socket).c_str(), R_OK) != 0)
        continue;
      run.age_s = age_of(run.launcher);
      run.words = words_of(run.launcher);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

Run find_run(const std::string &which, const std::string &socket) {
  const bool number = !which.empty() && which.find_first_not_of("0123456789") == std::string::npos;
  if (!which.empty() && !number) {
    if (fs::is_directory(which))
      return {0, which, 0, ""};
    throw "there is no folder '" + which + "'; a run is named by the process of its `skein run`, or by the folder of " +
        "SKEIN_OPTIONS=monitor_in=";
  }
  const std::vector<Run> runs = runs_of_user(socket);
  std::string list;
  for (const Run &run : runs) {
    if (std::to_string(run.launcher) == which || (which.empty() && runs.size() == 1))
      return run;
    list += "\n  " + std::to_string(run.launcher) + "  " + run.words;
  }
  if (runs.empty())
    throw std::string("no run of yours goes on that `skein run` has started on this machine");
  throw(which.empty() ? std::string("which run? There are:") : "there is no run " + which + ", but:") + list;
}

std::vector<std::string> monitor_command(const std::vector<std::string> &arguments) {
  std::vector<std::string> command{program_directory() + "/../lib/skein/skein-monitor"};
  if (access(command[0].c_str(), X_OK) != 0)
    throw "cannot start " + command[0] + ": " + strerror(errno);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

void add_to(std::vector<std::string> &arguments, const Run &run) {
  NodeList list;
  std::string left, hosts; // of nodes, if the launcher tells them soon
  try {
    if (LauncherLine(run.folder).list(list, clock_ms() + 1000))
      for (const ListedNode &node : list.nodes) {
        if (node.state == state_left)
          left += std::to_string(node.number) + ",";
        if (!node.host.empty())
          hosts += std::to_string(node.number) + "=" + node.host + ",";
      }
  } catch (const std::string &) {
    // It has no launcher that can be asked: all of its nodes are here, and none has left.
  }
  arguments.insert(arguments.end(),
                   {std::to_string(run.launcher), run.folder, std::to_string(run.age_s), run.words, left, hosts});
}

int become(const std::vector<std::string> &command) {
  std::vector<char *> words;
  words.reserve(command.size() + 1);
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  throw "cannot start " + command[0] + ": " + strerror(errno);
}

} // namespace skein::launch
