// skein-monitor: looks at a run from outside, for `skein top` and `skein web`, which find the run and start this
// program with arguments that are complete. It is a program of its own so that the libraries it needs do not delay
// `skein run`.
#include "launch/monitors/top.h"
#include "launch/monitors/web.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

namespace skein::monitors {

static int run(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "", folder = argc > 2 ? argv[2] : "";
  if (what == "top" && argc == 5) {
    const double interval_s = atof(argv[3]);
    const std::string how = argv[4];
    return how == "json" ? top_json(folder) : how == "once" ? top_once(folder, interval_s) : top(folder, interval_s);
  }
  if (what == "web" && argc == 5)
    return web(folder, argv[3], atoi(argv[4]));
  fputs("This is a part of `skein top` and `skein web`.\n", stderr);
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
