// `skein status`: whether a run goes on, and how its nodes are.
#include "launch/command/command.h"
#include "launch/command/runs.h"

#include <cstdio>
#include <memory>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein status [RUN] [options]

Tells how the nodes of a run are: whether they answer, and how many threads they have. RUN is the process of its `skein
run` (`skein ps` lists them), or a folder that SKEIN_OPTIONS=monitor_in=FOLDER names; it can be left out if you have only
one run.
)";

constexpr char footer[] =
    R"(The exit status is 0 if all nodes of the run answer, 1 if one does not, and 3 if there is no such run.
)";

struct Options {
  std::string run;
  bool json = false;
};

int run(const Options &options) {
  constexpr int no_such_run = 3;
  std::vector<std::string> arguments{"status", options.json ? "json" : "text"};
  try {
    add_to(arguments, find_run(options.run));
  } catch (const std::string &why) {
    fprintf(stderr, "skein status: %s\n", why.c_str());
    return no_such_run;
  }
  return become(monitor_command(arguments));
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  line.description(description)->footer(footer);
  line.add_option("run", options->run, "a process, or a folder")->type_name("");
  line.add_flag("--json", options->json, "print a line of JSON for each node");
  return [options] { return run(*options); };
}

} // namespace

extern const Command status_command = {"status", "tell how the nodes of a run are", declare};

} // namespace skein::launch
