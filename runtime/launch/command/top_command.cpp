// `skein top`: a live view of a run in the terminal.
#include "launch/command/command.h"
#include "launch/command/runs.h"

#include <memory>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein top [RUN] [options]

Shows what the nodes of a run do: how busy they are, their threads by function, what they wait for, who moves and who
talks to whom. RUN is the process of its `skein run`, or a folder that SKEIN_OPTIONS=monitor_in=FOLDER names; it can be
left out if you have only one run.
)";

constexpr char footer[] =
    R"(Keys: q quits; n, c, t, r, m sort nodes by number, processor, threads, ready threads, moves; f and l show functions or
single threads, o nothing of that; p pushes a thread to another node; b switches balancing on and off for the whole run,
and P puts another policy in force; + and - change the interval.
)";

struct Options {
  std::string run;
  double interval_s = 1;
  bool once = false, json = false;
};

int run(const Options &options) {
  return become(monitor_command({"top", find_run(options.run).folder, std::to_string(options.interval_s),
                                 options.json   ? "json"
                                 : options.once ? "once"
                                                : "screen"}));
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  line.description(description)->footer(footer);
  line.add_option("run", options->run, "a process, or a folder")->type_name("");
  line.add_option("-d,--interval", options->interval_s, "seconds between two looks (1)")
      ->type_name("S")
      ->check(CLI::Range(0.05, 3600.0).description(""));
  line.add_flag("--once", options->once, "print one view, of so many seconds, and end");
  line.add_flag("--json", options->json, "print what each node answers, a line each, and end");
  return [options] { return run(*options); };
}

} // namespace

extern const Command top_command = {"top", "watch a run in the terminal", declare};

} // namespace skein::launch
