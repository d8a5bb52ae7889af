// `skein ps`: the runs that go on.
#include "launch/command/command.h"
#include "launch/command/runs.h"

#include <cstdio>
#include <memory>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein ps [options]

Lists your runs that go on on this machine: the process of their `skein run`, which is their name in `skein top`, `skein
web` and `skein status`, how many nodes and threads they have, and for how long they have been going on.
)";

constexpr char footer[] = R"(The exit status is 0 if there are any, and 1 if there are none.
)";

int run(bool json) {
  const std::vector<Run> runs = runs_of_user();
  if (runs.empty()) {
    if (!json)
      puts("no run of yours goes on that `skein run` has started on this machine");
    return 1;
  }
  std::vector<std::string> arguments{"ps", json ? "json" : "text"};
  for (const Run &run : runs)
    add_to(arguments, run);
  return become(monitor_command(arguments));
}

Action declare(CLI::App &line) {
  auto json = std::make_shared<bool>(false);
  line.description(description)->footer(footer);
  line.add_flag("--json", *json, "print a line of JSON for each run");
  return [json] { return run(*json); };
}

} // namespace

extern const Command ps_command = {"ps", "list the runs that go on", declare};

} // namespace skein::launch
