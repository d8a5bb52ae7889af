// `skein web`: shows a run as a page, and to programs that collect figures.
#include "launch/command/command.h"
#include "launch/command/runs.h"

#include <memory>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein web [RUN] [options]

Shows a run as a page with live charts, which any browser opens, until the run is over. RUN is the process of its
`skein run`, or a folder that SKEIN_OPTIONS=monitor_in=FOLDER names; it can be left out if you have only one run.
`skein run --web PORT` does the same from the start.
)";

constexpr char footer[] =
    R"(Besides the page there are /metrics (OpenMetrics, for Prometheus) and /figures.json (the same figures, once). Everybody
who can connect can read them, and nobody can change anything. The page is for this machine alone unless --listen says
otherwise.
)";

struct Options {
  std::string run, listen = "127.0.0.1";
  int port = 8080;
};

int run(const Options &options) {
  return become(monitor_command({"web", find_run(options.run).folder, options.listen, std::to_string(options.port)}));
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  line.description(description)->footer(footer);
  line.add_option("run", options->run, "a process, or a folder")->type_name("");
  line.add_option("-p,--port", options->port, "the port (8080); 0: any free one")
      ->type_name("PORT")
      ->check(CLI::Range(0, 65535).description(""));
  line.add_option("--listen", options->listen, "the address (127.0.0.1)")->type_name("ADDRESS");
  return [options] { return run(*options); };
}

} // namespace

extern const Command web_command = {"web", "show a run as a page with live charts", declare};

} // namespace skein::launch
