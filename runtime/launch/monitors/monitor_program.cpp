// skein-monitor: looks at runs from outside, for `skein top`, `web`, `ps` and `status`, which find the runs and start
// this program with arguments that are complete. It is a program of its own so that the libraries it needs do not delay
// `skein run`.
#include "launch/monitors/listing.h"
#include "launch/monitors/top.h"
#include "launch/monitors/web.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace skein::monitors {

/// "1,3," are two numbers.
static std::set<int> numbers_in(const char *text) {
  std::set<int> numbers;
  int number, length;
  for (; sscanf(text, "%d,%n", &number, &length) == 1; text += length)
    numbers.insert(number);
  return numbers;
}

/// "1=b,3=c," are the hosts of two nodes.
static std::map<int, std::string> hosts_in(const std::string &text) {
  std::map<int, std::string> hosts;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');)
    if (const size_t at = part.find('='); at != std::string::npos)
      hosts[atoi(part.c_str())] = part.substr(at + 1);
  return hosts;
}

static int run(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "", folder = argc > 2 ? argv[2] : "";
  if (what == "top" && argc == 5) {
    const double interval_s = atof(argv[3]);
    const std::string how = argv[4];
    return how == "json" ? top_json(folder) : how == "once" ? top_once(folder, interval_s) : top(folder, interval_s);
  }
  if (what == "web" && argc == 5)
    return web(folder, argv[3], atoi(argv[4]));
  constexpr int words_of_run = 6;
  if ((what == "ps" || what == "status") && argc > 3 && (argc - 3) % words_of_run == 0) {
    const bool json = !strcmp(argv[2], "json");
    std::vector<FoundRun> runs;
    for (int at = 3; at < argc; at += words_of_run)
      runs.push_back({atoi(argv[at]), argv[at + 1], atof(argv[at + 2]), argv[at + 3], numbers_in(argv[at + 4]),
                      hosts_in(argv[at + 5])});
    return what == "ps" ? list_runs(runs, json) : show_status(runs[0], json);
  }
  fputs("This is a part of the `skein` command.\n", stderr);
  return 2;
}

} // namespace skein::monitors

int main(int argc, char **argv) {
  try {
    return skein::monitors::run(argc, argv);
  } catch (const nlohmann::json::exception &why) {
    fprintf(stderr, "skein: a node's answer is not understood (another version of Skein?): %s\n", why.what());
    return 1;
  }
}
