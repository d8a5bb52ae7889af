// `skein checkpoint`: asks the launcher of a run (launch/run/control.h) for a checkpoint, and waits until it is
// complete.
#include "launch/command/command.h"
#include "launch/command/launcher_line.h"
#include "launch/command/runs.h"
#include "launch/run/clock_ms.h"
#include "launch/run/control.h"

#include <cstdio>
#include <memory>
#include <sstream>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein checkpoint [RUN] [options]

Has a run that was started with `skein run --checkpoint DIR` make a checkpoint now, waits until it is complete, and prints
its number, size, and for how long the run paused. `skein restart DIR` can go on from there.

RUN is the process of its `skein run` (`skein ps` lists them), or a folder that SKEIN_OPTIONS=monitor_in=FOLDER names; it
can be left out if you have only one run.
)";

constexpr char footer[] =
    R"(A checkpoint that has begun is completed also if this command ends before that (^C, --timeout). The exit status is 0 when
it is complete, 1 if it was given up, 3 if there is no such run (any more), and 124 after a timeout.
)";

constexpr int given_up = 1, no_such_run = 3, too_late = 124;

struct Options {
  std::string run;
  int timeout_s = 0;
  bool json = false;
};

int report(const LauncherAnswer &answer, bool json) {
  uint64_t bytes = 0, pause_ms = 0, took_ms = 0;
  std::istringstream(answer.rest) >> bytes >> pause_ms >> took_ms;
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  if (json)
    printf("{\"checkpoint\":%d,\"bytes\":%llu,\"pause_ms\":%llu,\"took_ms\":%llu}\n", answer.node, number(bytes),
           number(pause_ms), number(took_ms));
  else
    printf("checkpoint %d: %llu bytes, a pause of %llu ms, complete after %llu ms\n", answer.node, number(bytes),
           number(pause_ms), number(took_ms));
  return 0;
}

int ask(const Options &options) {
  const uint64_t until_ms = options.timeout_s > 0 ? clock_ms() + static_cast<uint64_t>(options.timeout_s) * 1000 : 0;
  try {
    const LauncherLine launcher(find_run(options.run, control_name).folder);
    launcher.ask("checkpoint");
    for (LauncherAnswer answer;;) {
      switch (launcher.hear(answer, until_ms)) {
      case LauncherLine::Heard::nothing:
        fprintf(stderr, "skein checkpoint: the time limit of %d s is over\n", options.timeout_s);
        return too_late;
      case LauncherLine::Heard::end:
        throw std::string("the run has ended, or goes back to its last checkpoint");
      case LauncherLine::Heard::answer:
        break;
      }
      if (answer.word == "kept")
        return report(answer, options.json);
      if (answer.word == "over")
        throw answer.rest;
      fprintf(stderr, "%s%s\n", answer.word == "progress" ? "" : "skein checkpoint: ", answer.rest.c_str());
      if (answer.word != "progress")
        return given_up;
    }
  } catch (const std::string &why) {
    fprintf(stderr, "skein checkpoint: %s\n", why.c_str());
    return no_such_run;
  }
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  line.description(description)->footer(footer);
  line.add_option("run", options->run, "a process, or a folder")->type_name("");
  line.add_option("--timeout", options->timeout_s, "wait for at most S seconds")
      ->type_name("S")
      ->check(CLI::Range(1, 1000000).description(""));
  line.add_flag("--json", options->json, "print a line of JSON");
  return [options] { return ask(*options); };
}

} // namespace

extern const Command checkpoint_command = {"checkpoint", "make a checkpoint of a run now", declare};

} // namespace skein::launch
