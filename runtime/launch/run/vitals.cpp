// Reading /proc/<pid>/stat and those of its threads; see vitals.h.
#include "launch/run/vitals.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <string>
#include <unistd.h>

namespace skein::launch {

namespace {

struct Stat {
  char state = 0;
  uint64_t cpu_ms = 0;
};

bool read_stat(const std::string &folder, Stat &stat) {
  FILE *file = fopen((folder + "/stat").c_str(), "re");
  if (!file)
    return false;
  char line[1024];
  const size_t bytes = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[bytes] = 0;
  // "pid (name) state" and numbers, of which the 12th and 13th are times; the name may hold anything.
  const char *close = strrchr(line, ')');
  if (!close || !close[1])
    return false;
  stat.state = close[2];
  const char *at = close + 3;
  for (int field = 0; field < 10 && at; field++)
    at = strchr(at + 1, ' ');
  if (!at)
    return false;
  char *rest;
  const uint64_t user = strtoull(at, &rest, 10), system = strtoull(rest, &rest, 10);
  static const auto per_second = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  stat.cpu_ms = (user + system) * 1000 / per_second;
  return true;
}

} // namespace

const char *Vitals::words() const {
  if (unknown)
    return "its host says nothing";
  if (!there)
    return "its process is gone";
  if (stopped)
    return "it is stopped";
  if (runnable)
    return "it runs, or waits for a core";
  return disk ? "it waits for a disk" : "it sleeps";
}

uint64_t Vitals::cpu_ms_of_all() const {
  uint64_t sum = 0;
  for (const auto &[thread, ms] : cpu_ms)
    sum += ms;
  return sum;
}

uint64_t Vitals::cpu_ms_most_since(const Vitals &then) const {
  uint64_t most = 0;
  for (const auto &[thread, ms] : cpu_ms) {
    const auto before = then.cpu_ms.find(thread);
    most = std::max(most, ms - (before == then.cpu_ms.end() ? 0 : std::min(ms, before->second)));
  }
  return most;
}

Vitals vitals_of(pid_t process) {
  Vitals vitals;
  vitals.process = process;
  const std::string folder = "/proc/" + std::to_string(process);
  Stat stat;
  if (!read_stat(folder, stat) || stat.state == 'Z' || stat.state == 'X')
    return vitals;
  DIR *tasks = opendir((folder + "/task").c_str());
  if (!tasks)
    return vitals;
  while (const dirent *entry = readdir(tasks)) {
    if (entry->d_name[0] == '.' || !read_stat(folder + "/task/" + entry->d_name, stat))
      continue;
    vitals.there = true;
    vitals.stopped |= stat.state == 'T' || stat.state == 't';
    vitals.runnable |= stat.state == 'R';
    vitals.disk |= stat.state == 'D';
    vitals.cpu_ms[static_cast<pid_t>(atoi(entry->d_name))] = stat.cpu_ms;
  }
  closedir(tasks);
  return vitals;
}

} // namespace skein::launch
