// `skein restart`: a run that goes on from a checkpoint (launch/run/recovery.h).
#include "launch/command/command.h"
#include "launch/command/run_settings.h"
#include "launch/run/recovery.h"
#include "launch/run/run_folder.h"

#include <CLI/Validators.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein restart DIR [options]

Goes on with a run from the last complete checkpoint that `skein run --checkpoint DIR` has left in a folder: its nodes are
started again, and their threads go on where they were at the checkpoint. Whatever has ended the run, the checkpoint is
whole. The restarted run makes checkpoints in the same folder, with further numbers, as the first one was told to.
)";

constexpr char footer[] =
    R"(Needed are the same version of Skein, the same build of the program at the same path, a processor with all instructions
that the checkpoint's had, and the same release of the kernel. The run has as many nodes as it had, with the same numbers,
and then, with -n, others join or leave; at most as many as it was started for (`skein run --max-nodes`).

Output: what the run had written at the checkpoint is not written again. If this command's output is the regular file that
the run's was (>> FILE), that is cut where the checkpoint was, and so holds exactly what a run without interruption would
have written. SKEIN_OPTIONS of here are added to those of the run, for this command; the nodes keep what they had.
)";

struct Options {
  std::string folder, hosts_list, hosts_file;
  int number = 0, nodes = 0;
  CheckpointSettings settings; // where it differs from what none was told, it goes
  Conduct conduct;
  CLI::App *line = nullptr;
};

/// The checkpoint that was asked for, or the last one. Throws a std::string.
int chosen(const Options &options) {
  const std::vector<int> numbers = checkpoints_in(options.folder);
  if (numbers.empty() && std::filesystem::exists(options.folder + "/" + manifest_name))
    throw options.folder + " is a checkpoint itself: name the folder that it is in, and its number (--number)";
  if (numbers.empty())
    throw "there is no complete checkpoint in " + options.folder;
  if (options.number == 0)
    return numbers.back();
  if (std::find(numbers.begin(), numbers.end(), options.number) != numbers.end())
    return options.number;
  std::string all;
  for (const int number : numbers)
    all += (all.empty() ? "" : ", ") + std::to_string(number);
  throw "there is no checkpoint " + std::to_string(options.number) + " in " + options.folder + ", but: " + all;
}

/// Says where the nodes are to be: where they were, or on other hosts.
std::vector<Place> settle_places(const Options &options, Manifest &manifest) {
  if (!options.hosts_list.empty() && !options.hosts_file.empty())
    throw std::string("--hosts and --hostfile both say which hosts");
  std::vector<Place> places;
  if (!options.hosts_list.empty() || !options.hosts_file.empty()) {
    places = options.hosts_list.empty() ? read_hosts(options.hosts_file) : parse_hosts(options.hosts_list);
    const std::vector<int> numbers = manifest.nodes_there();
    fill(places, static_cast<int>(numbers.size()));
    size_t next = 0;
    for (const Place &place : places)
      for (int i = 0; i < place.nodes; i++)
        manifest.nodes[static_cast<size_t>(numbers[next++])].host = place.host;
  }
  std::vector<std::pair<int, std::string>> nodes;
  std::vector<std::string> hosts;
  for (const NodeRecord &node : manifest.nodes)
    if (node.fate == Fate::there) {
      nodes.emplace_back(node.number, node.host);
      if (std::find(hosts.begin(), hosts.end(), node.host) == hosts.end())
        hosts.push_back(node.host);
    }
  if (!manifest.several_hosts && (hosts.size() > 1 || !hosts[0].empty()))
    throw std::string("the nodes of this run share memory, and can only be together on this host: a run that is to be "
                      "restarted on several hosts has to be started on several (--hosts)");
  return placed(nodes, hosts);
}

/// What the run was told, unless it is told otherwise here.
CheckpointSettings settle_checkpoints(const Options &options, const Manifest &manifest) {
  CheckpointSettings settings = options.settings;
  settings.folder = options.folder;
  const auto keep = [&](const char *name, int &value, int before) {
    if (options.line->count(name) == 0)
      value = before;
  };
  keep("--every", settings.every_s, manifest.every_s);
  keep("--keep", settings.keep, manifest.keep);
  keep("--checkpoint-patience", settings.patience_s, manifest.patience_s);
  keep("--recoveries", settings.recoveries, manifest.recoveries);
  return settings;
}

void set_options(const Manifest &manifest) {
  const char *own = getenv("SKEIN_OPTIONS");
  std::string all = manifest.options;
  if (own && *own)
    all += (all.empty() ? "" : ",") + std::string(own);
  if (!all.empty())
    setenv("SKEIN_OPTIONS", all.c_str(), 1);
}

int restart(Options &options) {
  if (!std::filesystem::is_directory(options.folder))
    throw "there is no folder " + options.folder;
  const int number = chosen(options);
  Course course;
  course.folder = std::make_unique<CheckpointFolder>(options.folder);
  options.folder = course.folder->path();
  Manifest manifest = read_manifest(options.folder, number);
  if (const std::string why = why_not_here(manifest); !why.empty())
    throw "checkpoint " + std::to_string(number) + " in " + options.folder + " cannot be restored here: " + why;
  if (options.nodes > manifest.numbers)
    throw "-n " + std::to_string(options.nodes) + ": the run was started for at most " +
        std::to_string(manifest.numbers) + " nodes (`skein run --max-nodes`)";
  if (chdir(manifest.folder.c_str()) != 0)
    throw "cannot enter " + manifest.folder + ", where the run was started: " + strerror(errno);
  set_options(manifest);

  Launch launch;
  Hosts hosts;
  Conduct &conduct = options.conduct;
  hosts.places = settle_places(options, manifest);
  hosts.ssh = manifest.ssh;
  hosts.network = manifest.network;
  hosts.mixed = manifest.mixed;
  hosts.bind = manifest.bind;
  hosts.environment = manifest.environment;
  launch.command = manifest.command;
  launch.nodes = manifest.numbers;
  launch.founders = manifest.founders;
  launch.prefix = manifest.prefix;
  launch.files_in = run_folder_parent();
  if (manifest.bind)
    launch.cores = usable_cores();
  conduct.checkpoints = settle_checkpoints(options, manifest);
  settle_for_checkpoints(launch, manifest.transport);
  set_environment(launch, manifest.transport);
  read_knobs(launch, conduct);
  launch.same_image = manifest.same_image;
  course.nodes = options.nodes;
  course.nodes_at = options.nodes != 0 ? number : 0;
  fprintf(stderr, "skein restart: the run goes on from checkpoint %d, of %s\n", number, manifest.when.c_str());
  if (const int count = course.folder->put_aside_after(number); count != 0)
    fprintf(stderr, "skein restart: %d later checkpoint%s put aside: %s/NUMBER.aside\n", count,
            count == 1 ? " is" : "s are", options.folder.c_str());
  resume_output(manifest.output, course.folder->complete(number));
  course.from = std::move(manifest);
  return run_nodes(std::move(launch), conduct, std::move(hosts), course);
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  options->line = &line;
  line.description(description)->footer(footer);
  line.add_option("DIR", options->folder, "the folder of the checkpoints")->required()->type_name("");
  line.add_option("-n,--nodes", options->nodes, "how many nodes the run is to have from then on")
      ->type_name("N")
      ->check(CLI::Range(1, bootstrap::nodes_max).description(""));
  line.add_option("--number", options->number, "the checkpoint; the last one, if left out")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000).description(""));
  line.add_option("--hosts", options->hosts_list, "on which hosts, if not on those where the nodes were")
      ->type_name("LIST");
  line.add_option("--hostfile", options->hosts_file, "the same from a file")->type_name("FILE");
  declare_checkpoint_settings(line, options->settings);
  line.add_option("--timeout", options->conduct.timeout_s, "end the run after S seconds, with status 124")
      ->type_name("S")
      ->check(CLI::Range(1, 1000000).description(""));
  return [options] { return restart(*options); };
}

} // namespace

extern const Command restart_command = {"restart", "go on with a run from a checkpoint", declare};

} // namespace skein::launch
