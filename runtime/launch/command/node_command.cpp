// `skein node`: nodes that come to a running run or leave it. It asks the run's launcher (launch/run/control.h), and
// waits until that has happened.
#include "launch/command/command.h"
#include "launch/command/launcher_line.h"
#include "launch/command/runs.h"
#include "launch/run/clock_ms.h"
#include "launch/run/control.h"
#include "launch/run/placement.h"
#include "launch/traces/json_string.h"
#include "net/wire/bootstrap.h"

#include <CLI/Validators.hpp>
#include <cstdio>
#include <memory>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein node list [RUN] [options]
       skein node add N [options]
       skein node add HOST[:N] [options]
       skein node drain NODE… [options]

Lists the nodes of a run; has N more nodes join it while it goes on, on the host of its `skein run` or on another one of
its hosts; or has nodes leave it, with nothing lost.

Nodes can join a run that was started with numbers for them: `skein run -n 2 --max-nodes 6` begins with two nodes, and
four more may come. Any node can leave but node 0, one after the other: its threads go to other nodes, node 0 takes over
what it keeps for others, such as its part of the shared memory, and its process ends. The command waits until the nodes
belong to the run, or have left it, and says on stderr what it waits for.

RUN is the process of its `skein run` (`skein ps` lists them), or a folder that SKEIN_OPTIONS=monitor_in=FOLDER names; it
can be left out if you have only one run.
)";

constexpr char footer[] =
    R"(A node that does not come (it cannot be started, or is not there after SKEIN_OPTIONS=start_s= seconds) is given up, and
the run goes on as if nobody had asked. So is what is not done yet when this command ends by ^C or --timeout. A node that
is to leave goes on working until all that keeps it has gone, and stays if this command ends before that.

The exit status is 0 when all is done, 1 if something is not, 3 if there is no such run (any more), and 124 after a timeout.
)";

constexpr int not_done = 1, no_such_run = 3, too_late = 124;

struct Options {
  std::string action, run;
  std::vector<std::string> what;
  int timeout_s = 0;
  bool json = false;
};

int list(const LauncherLine &launcher, const Options &options, uint64_t until_ms) {
  NodeList list;
  const bool all = launcher.list(list, until_ms);
  const bool hosts =
      std::any_of(list.nodes.begin(), list.nodes.end(), [](const ListedNode &node) { return !node.host.empty(); });
  if (!options.json)
    printf("at most %d nodes; at the start %d\n%4s %8s  %s%s\n", list.numbers, list.founders, "node", "process",
           hosts ? "host         " : "", "state");
  for (const ListedNode &node : list.nodes) {
    if (options.json)
      printf("{\"node\":%d,\"process\":%d%s%s,\"state\":%s%s%s}\n", node.number, node.process,
             node.host.empty() ? "" : ",\"host\":", node.host.empty() ? "" : json_string(node.host).c_str(),
             json_string(node.state).c_str(),
             node.why.empty() ? "" : ",\"why\":", node.why.empty() ? "" : json_string(node.why).c_str());
    else
      printf("%4d %8d  %-*s%s%s%s\n", node.number, node.process, hosts ? 13 : 0, node.host.c_str(), node.state.c_str(),
             node.why.empty() ? "" : ": ", node.why.c_str());
  }
  return all ? 0 : too_late;
}

/// Waits until all that was asked for is done, or is not.
int wait(const LauncherLine &launcher, const Options &options, uint64_t until_ms) {
  LauncherAnswer answer;
  const std::string &word = answer.word;
  int status = 0;
  for (;;) {
    const LauncherLine::Heard heard = launcher.hear(answer, until_ms);
    const std::string text = (answer.node < 0 ? "" : "node " + std::to_string(answer.node) + " ") + answer.rest;
    if (heard == LauncherLine::Heard::end)
      return status;
    if (heard == LauncherLine::Heard::nothing) {
      fprintf(stderr, "skein node: the time limit of %d s is over; what is not done is taken back\n",
              options.timeout_s);
      return too_late;
    }
    if (word == "progress") {
      fprintf(stderr, "%s\n", text.c_str());
    } else if (word == "came" || word == "left") {
      if (options.json)
        printf("{\"node\":%d,\"state\":\"%s\"}\n", answer.node, word == "came" ? "goes on" : state_left);
      else
        printf("%s\n", text.c_str());
      fflush(stdout);
    } else {
      fprintf(stderr, "skein node: %s\n", (word == "over" ? answer.rest : text).c_str());
      status = word == "over" ? no_such_run : not_done;
    }
  }
}

bool is_number(const std::string &word) {
  return !word.empty() && word.size() <= 3 && word.find_first_not_of("0123456789") == std::string::npos;
}

/// What is to be asked for; empty: nothing but the list.
std::string request_of(Options &options) {
  const std::vector<std::string> &what = options.what;
  if (options.action == "list") {
    if (what.size() > 1 || (what.size() == 1 && !options.run.empty()))
      throw std::string("list: at most one run");
    if (what.size() == 1)
      options.run = what[0];
    return "";
  }
  if (options.action == "drain") {
    std::string request = "drain";
    for (const std::string &node : what) {
      if (!is_number(node))
        throw "drain: '" + node + "' is no number of a node (`skein node list`)";
      request += " " + node;
    }
    if (what.empty() || request.size() > control_bytes_most)
      throw std::string("drain: which nodes? Their numbers (`skein node list`)");
    return request;
  }
  const std::string how_many = "add: how many nodes? 1 to " + std::to_string(bootstrap::nodes_max) + ", or HOST:N";
  if (what.size() != 1 || what[0].empty())
    throw how_many;
  if (what[0].find_first_not_of("0123456789") != std::string::npos) {
    const std::vector<Place> places = parse_hosts(what[0]);
    if (places.size() > 1)
      throw std::string("add: one host at a time");
    return "add " + std::to_string(places[0].nodes) + " " + places[0].host; // which is empty for this host
  }
  if (!is_number(what[0]) || std::stoi(what[0]) < 1 || std::stoi(what[0]) > bootstrap::nodes_max)
    throw how_many;
  return "add " + what[0];
}

int act(Options &options) {
  const std::string request = request_of(options);
  const uint64_t until_ms = options.timeout_s > 0 ? clock_ms() + static_cast<uint64_t>(options.timeout_s) * 1000 : 0;
  try {
    const Run run = find_run(options.run, control_name);
    const LauncherLine launcher(run.folder);
    if (request.empty())
      return list(launcher, options, until_ms);
    launcher.ask(request);
    return wait(launcher, options, until_ms);
  } catch (const std::string &why) {
    fprintf(stderr, "skein node: %s\n", why.c_str());
    return no_such_run;
  }
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  line.description(description)->footer(footer);
  line.add_option("ACTION", options->action, "list, add or drain")
      ->required()
      ->check(CLI::IsMember({"list", "add", "drain"}).description(""));
  line.add_option("WHAT", options->what, "what the action is about");
  line.add_option("--run", options->run, "which run")->type_name("RUN");
  line.add_option("--timeout", options->timeout_s, "wait for at most S seconds, then take it back")
      ->type_name("S")
      ->check(CLI::Range(1, 1000000).description(""));
  line.add_flag("--json", options->json, "print a line of JSON for each node");
  return [options] { return act(*options); };
}

} // namespace

extern const Command node_command = {"node", "list the nodes of a run, add some, or have some leave", declare};

} // namespace skein::launch
