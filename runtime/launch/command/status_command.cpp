// `skein status`: whether a run goes on, and how its nodes are.
#include "launch/command/command.h"
#include "launch/command/launcher_line.h"
#include "launch/command/runs.h"
#include "launch/run/clock_ms.h"
#include "launch/traces/json_string.h"

#include <cstdio>
#include <memory>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein status [RUN] [options]

Tells how the nodes of a run are: whether they answer, and how many threads they have; and which is its last checkpoint,
if it makes any (`skein run --checkpoint`). RUN is the process of its `skein run` (`skein ps` lists them), or a folder that
SKEIN_OPTIONS=monitor_in=FOLDER names; it can be left out if you have only one run.
)";

constexpr char footer[] =
    R"(The exit status is 0 if all nodes of the run answer, 1 if one does not, and 3 if there is no such run.
)";

struct Options {
  std::string run;
  bool json = false;
};

/// What the run's launcher says of checkpoints, if it has any and soon answers.
void tell_checkpoints(const std::string &folder, bool json) {
  CheckpointNews news;
  try {
    if (!LauncherLine(folder).last_checkpoint(news, clock_ms() + 1000) || news.folder.empty())
      return;
  } catch (const std::string &) {
    return; // a run of one node without `skein run`
  }
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  if (json) {
    printf("{\"checkpoint\":%d,\"folder\":%s", news.number, json_string(news.folder).c_str());
    if (news.number != 0 && news.from.empty())
      printf(",\"age_s\":%.1f,\"bytes\":%llu,\"pause_ms\":%llu", static_cast<double>(news.age_ms) / 1000,
             number(news.bytes), number(news.pause_ms));
    if (!news.failed.empty())
      printf(",\"failed\":%s", json_string(news.failed).c_str());
    printf("}\n");
  } else {
    if (news.number == 0)
      printf("no checkpoint yet in %s\n", news.folder.c_str());
    else if (!news.from.empty())
      printf("goes on from checkpoint %d in %s, of %s\n", news.number, news.folder.c_str(), news.from.c_str());
    else
      printf("checkpoint %d in %s, %.1f s ago: %llu bytes, a pause of %llu ms\n", news.number, news.folder.c_str(),
             static_cast<double>(news.age_ms) / 1000, number(news.bytes), number(news.pause_ms));
    if (!news.failed.empty())
      printf("the last attempt at a checkpoint was given up: %s\n", news.failed.c_str());
  }
  fflush(stdout);
}

int run(const Options &options) {
  constexpr int no_such_run = 3;
  std::vector<std::string> arguments{"status", options.json ? "json" : "text"};
  try {
    const Run run = find_run(options.run);
    add_to(arguments, run);
    tell_checkpoints(run.folder, options.json);
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
  line.add_flag("--json", options->json, "print a line of JSON for each node, and one for checkpoints");
  return [options] { return run(*options); };
}

} // namespace

extern const Command status_command = {"status", "tell how the nodes of a run are", declare};

} // namespace skein::launch
