// `skein run` reads the command line, decides about the nodes' environment, and starts the launcher.
#include "base/knobs.h"
#include "launch/command/command.h"
#include "launch/command/run_settings.h"
#include "launch/run/far_trace.h"
#include "launch/run/launcher.h"
#include "launch/run/run_folder.h"
#include "launch/traces/tables.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr char fabric_prefix[] = "ucx:";

constexpr char description[] = R"(usage: skein run -n N [options] program [arguments…]

Starts N processes ("nodes") of one program on this machine, or on several (--hosts), and joins them into one run. main
is called on node 0; threads move between the nodes. A program that is started without `skein run` is a run of one node.
)";

constexpr char footer[] =
    R"(Output comes by whole lines. Node 0 reads this command's input, the others none. SIGINT, SIGTERM, SIGHUP, SIGQUIT,
SIGUSR1, SIGUSR2, SIGTSTP and SIGCONT are passed on; a second request to stop kills. The exit status is the first one
that is not 0, 128 + signal for a node that was killed (of SIGPIPE without a word, if nobody reads the output). If a
node dies, the others say which of their threads were there, and the run ends, or goes on with
SKEIN_OPTIONS=deaths=survive, or back to the last checkpoint with deaths=recover. A call of exit() on any node ends the run.

The nodes are forked from one process, so that the program lies at the same address in all of them; a script or another
program that starts it is started once for each node (SKEIN_OPTIONS=image=any: so is the program).

Several hosts: ssh must get there without a password, and Skein and the program lie at the same paths on all of them. The
program is started in the folder of the same name. Node 0 reads the input if it is on this host.

Environment: SKEIN_OPTIONS=key=value,… sets the knobs of all nodes (`skein knobs` lists them). SKEIN_TRANSPORT names
another transport library. UCX_… variables that are set already are left alone, but for UCX_TLS, which --transport
decides: UCX over TCP would let anybody who can connect write into the nodes (docs/security.md).
)";

struct Options {
  Launch launch;
  Conduct conduct;
  Hosts hosts;
  std::string hosts_list, hosts_file, ssh = "ssh -o BatchMode=yes -T";
  std::vector<std::string> variables;
  std::string transport;
  int max_nodes = 0; // 0: as many as at the start
  bool report = false, bind = false;
  std::string trace, trace_classes;
};

bool by_ucx(const std::string &transport) { return transport.compare(0, strlen(fabric_prefix), fabric_prefix) == 0; }

/// What UCX is to use (UCX_TLS). Throws if UCX would then listen on TCP.
std::string ucx_transports(const std::string &transport) {
  const std::string names = transport.substr(strlen(fabric_prefix));
  std::istringstream list(names);
  int count = 0;
  for (std::string name; std::getline(list, name, ','); count++)
    if (name.compare(0, 3, "tcp") == 0 || name == "all" ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos || name.empty())
      throw "--transport " + transport + ": '" + name +
          "' is no fabric by name; UCX over TCP is not offered, since anybody who can connect may write into a node's "
          "memory: use --transport tcp";
  if (count == 0)
    throw "--transport " + transport + ": name the fabrics, such as ucx:rc";
  return names + ",self";
}

std::vector<int> cores_to_share(int nodes) {
  std::vector<int> cores = usable_cores();
  if (cores.size() < static_cast<size_t>(nodes))
    throw "--bind: there are " + std::to_string(cores.size()) + " cores for " + std::to_string(nodes) + " nodes";
  return cores;
}

/// Adds an option for all nodes, after what the user has set.
void add_option(const char *option) {
  const char *before = getenv("SKEIN_OPTIONS");
  setenv("SKEIN_OPTIONS", before && *before ? (std::string(before) + ',' + option).c_str() : option, 1);
}

/// Where the nodes of a run record what becomes the file `trace`.
std::string folder_of_nodes(const std::string &trace) { return trace + ".nodes"; }

void begin_trace(const Options &options, Launch &launch) {
  namespace fs = std::filesystem;
  const std::string folder = folder_of_nodes(options.trace);
  if (folder.find(',') != std::string::npos)
    throw "--trace " + options.trace + ": the name cannot have a comma in it";
  uint32_t classes;
  const char *unknown;
  int length;
  if (!trace_classes_parse(options.trace_classes.c_str(), classes, unknown, length))
    throw "--trace-classes: there is no class '" + std::string(unknown, static_cast<size_t>(length)) +
        "' (`skein trace --events` lists them)";
  std::error_code error;
  fs::remove_all(folder, error); // of a run whose launcher was killed
  fs::create_directories(folder, error);
  if (error)
    throw "--trace " + options.trace + ": cannot make the folder " + folder + ": " + error.message();
  launch.trace_in = fs::absolute(folder).string();
  launch.trace_mark = mark_trace_folder(launch.trace_in);
  add_option(("trace_in=" + launch.trace_in).c_str());
  if (!options.trace_classes.empty())
    add_option(("trace=" + options.trace_classes).c_str());
}

/// Makes one file of what all nodes have recorded. If that fails, what they have recorded stays.
void finish_trace(const Options &options) {
  const std::string folder = folder_of_nodes(options.trace);
  try {
    const std::unique_ptr<traces::Recording> recording = traces::open_recording(folder);
    write_trace(*recording, options.trace);
    traces::write_missing(*recording, stderr);
  } catch (const std::string &why) {
    fprintf(stderr, "skein run: the trace is not complete: %s; what the nodes have recorded is in %s\n", why.c_str(),
            folder.c_str());
    return;
  }
  std::error_code error;
  std::filesystem::remove_all(folder, error);
}

std::vector<std::string> words_of(const std::string &text) {
  std::istringstream words(text);
  std::vector<std::string> all;
  for (std::string word; words >> word;)
    all.push_back(word);
  return all;
}

/// Decides how many nodes there may be in all.
void settle_numbers(Options &options) {
  Launch &launch = options.launch;
  if (launch.founders > bootstrap::nodes_max)
    throw "there may be at most " + std::to_string(bootstrap::nodes_max) + " nodes";
  if (options.max_nodes != 0 && options.max_nodes < launch.founders)
    throw "--max-nodes " + std::to_string(options.max_nodes) + ": there are " + std::to_string(launch.founders) +
        " at the start";
  launch.nodes = std::max(options.max_nodes, launch.founders);
}

/// Decides where the nodes are to be, and how many.
void settle_hosts(Options &options) {
  Launch &launch = options.launch;
  Hosts &hosts = options.hosts;
  if (!options.hosts_list.empty() && !options.hosts_file.empty())
    throw std::string("--hosts and --hostfile both say which hosts");
  if (!options.hosts_list.empty())
    hosts.places = parse_hosts(options.hosts_list);
  else if (!options.hosts_file.empty())
    hosts.places = read_hosts(options.hosts_file);
  if (hosts.joins > 0 && (hosts.listen.empty() || hosts.key_file.empty()))
    throw std::string("--joins needs --listen ADDRESS:PORT and --key-file FILE");
  if (hosts.joins == 0 && !hosts.listen.empty())
    throw std::string("--listen: how many nodes are to join? --joins N says that");
  if (!hosts.places.empty())
    launch.founders = fill(hosts.places, launch.founders);
  if (hosts.joins == 0 && (hosts.places.empty() || (hosts.places.size() == 1 && hosts.places[0].host.empty()))) {
    hosts.places.clear(); // all are here
    return settle_numbers(options);
  }
  launch.founders += hosts.joins;
  settle_numbers(options);
  if (launch.nodes == 1)
    throw std::string("a run of one node is started on its host, without --hosts");
  if (!options.transport.empty() && options.transport != "tcp")
    throw "--transport " + options.transport + ": nodes on several hosts talk over tcp";
  options.transport = "tcp";
  hosts.ssh = words_of(options.ssh);
  if (hosts.ssh.empty())
    throw std::string("--ssh names no command");
  hosts.bind = options.bind;
  for (const std::string &variable : options.variables) {
    const size_t equals = variable.find('=');
    const std::string name = variable.substr(0, equals);
    const char *value = equals == std::string::npos ? getenv(name.c_str()) : variable.c_str() + equals + 1;
    if (name.empty() || !value)
      throw "--env " + variable + ": there is no such variable here";
    hosts.environment.emplace_back(name, value);
    setenv(name.c_str(), value, 1); // for the nodes on this host
  }
  if (std::string file = found_program(launch.command[0]); !file.empty())
    launch.command[0] = std::move(file); // a shell that ssh starts may have another PATH
  settle_sockets(launch);
}

int run(Options &options, Arguments command) {
  Launch &launch = options.launch;
  std::string &transport = options.transport;
  if (launch.founders == 0 && options.hosts_list.empty() && options.hosts_file.empty())
    throw std::string("--nodes is required (or --hosts, or --hostfile)");
  if (!transport.empty() && transport != "shm" && transport != "tcp" && !by_ucx(transport))
    throw "--transport must be shm, tcp or ucx: with names of fabrics, not '" + transport + "'";
  if (!command.empty() && command[0] == "--")
    command.erase(command.begin());
  else if (!command.empty() && command[0][0] == '-')
    throw "there is no option '" + command[0] + "'";
  if (command.empty())
    throw std::string("which program?");
  launch.command = std::move(command);
  const CheckpointSettings &checkpoints = options.conduct.checkpoints;
  if (checkpoints.folder.empty() && checkpoints.every_s != 0)
    throw std::string("--every: where to? --checkpoint DIR says that");
  settle_hosts(options);
  Course course;
  if (!checkpoints.folder.empty()) {
    settle_for_checkpoints(launch, transport);
    course.folder = std::make_unique<CheckpointFolder>(checkpoints.folder);
    course.folder->expect_program(program_path(launch.command[0]));
  }
  if (transport.empty())
    transport = "shm";
  if (options.report)
    add_option("move_report=on");
  if (launch.nodes > 1)
    set_environment(launch, transport);
  launch.files_in = run_folder_parent();
  if (options.bind) {
    const std::vector<Place> &places = options.hosts.places;
    const auto own = std::find_if(places.begin(), places.end(), [](const Place &place) { return place.host.empty(); });
    const int here = places.empty() ? launch.founders - options.hosts.joins : own == places.end() ? 0 : own->nodes;
    launch.cores = cores_to_share(here);
  }
  if (!options.trace.empty())
    begin_trace(options, launch);
  else if (!options.trace_classes.empty())
    throw std::string("--trace-classes: where to? --trace FILE says that");
  read_knobs(launch, options.conduct);
  if (options.conduct.web >= 0 && !launch.monitored)
    throw std::string("--web needs the monitors' sockets, which SKEIN_OPTIONS=monitor_in= puts elsewhere: use `skein "
                      "web` with that folder");
  fflush(nullptr);
  const int status = run_nodes(std::move(launch), options.conduct, std::move(options.hosts), course);
  if (!options.trace.empty())
    finish_trace(options);
  return status;
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  line.description(description)->footer(footer);
  line.prefix_command(); // what follows the options is the program's
  options->launch.founders = 0;
  line.add_option("-n,--nodes", options->launch.founders,
                  "how many nodes (1 to 250); with hosts, all their places if left out")
      ->type_name("N")
      ->check(CLI::Range(1, bootstrap::nodes_max).description(""));
  line.add_option("--max-nodes", options->max_nodes,
                  "how many there may be in all, if more are to come while the run goes\n"
                  "on (`skein node add`)")
      ->type_name("N")
      ->check(CLI::Range(1, bootstrap::nodes_max).description(""));
  line.add_option("--hosts", options->hosts_list,
                  "on which hosts, as host[:nodes],…, each by ssh, or localhost; node 0 is\n"
                  "on the first")
      ->type_name("LIST");
  line.add_option("--hostfile", options->hosts_file, "the same from a file: a host to a line, `host slots=N`")
      ->type_name("FILE");
  line.add_option("--listen", options->hosts.listen,
                  "let other hosts in, by `skein join`: the address and port for that")
      ->type_name("ADDRESS:PORT");
  line.add_option("--joins", options->hosts.joins, "how many nodes are to come so, besides those of -n or --hosts")
      ->type_name("N")
      ->check(CLI::Range(1, bootstrap::nodes_max - 1).description(""));
  line.add_option("--key-file", options->hosts.key_file,
                  "16 random bytes that those who join must have, too, and nobody else")
      ->type_name("FILE");
  line.add_option("--network", options->hosts.network,
                  "with hosts: an interface (eth0) or a range of addresses (10.1.0.0/16)\n"
                  "in which nodes listen; else the addresses by which ssh reached them")
      ->type_name("NET");
  line.add_option("--env", options->variables,
                  "with hosts: a variable for all nodes, NAME or NAME=VALUE; may be\n"
                  "repeated. SKEIN_OPTIONS is among them")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  line.add_option("--ssh", options->ssh, "the command that starts a command on a host")
      ->type_name("COMMAND")
      ->capture_default_str();
  line.add_flag("--mixed", options->hosts.mixed,
                "hosts may have processors with different instructions, none of which\n"
                "the program needs more than others");
  line.add_flag("--report", options->report,
                "each node says at exit how many threads moved, and which moves were\n"
                "refused, and why (SKEIN_OPTIONS=move_report=on; with report=FILE it\nis appended to a file)");
  line.add_option("--trace", options->trace,
                  "record what happens, into one file of all nodes: for ui.perfetto.dev,\n"
                  "or for speedscope if its name ends with .json; `skein trace FILE`\n"
                  "sums it up")
      ->type_name("FILE");
  line.add_option("--trace-classes", options->trace_classes,
                  "what is recorded from the start: classes of events joined by +, all\n"
                  "(default), or none (`skein trace --events`)")
      ->type_name("LIST");
  line.add_option("--web", options->conduct.web,
                  "show the run as a page that a browser opens: http://127.0.0.1:PORT/;\n"
                  "0: any free port (`skein web` shows a run that has begun)")
      ->type_name("PORT")
      ->check(CLI::Range(0, 65535).description(""));
  line.add_flag("--prefix", options->launch.prefix, "write [node] in front of every line of output");
  line.add_option("--transport", options->transport,
                  "how nodes talk. shm (default): shared memory; tcp: sockets,\n"
                  "over the loopback device unless SKEIN_OPTIONS=tcp_listen= says\n"
                  "otherwise, encrypted and authenticated by TLS 1.3; ucx:NAME,…:\n"
                  "fabrics that UCX knows, such as ucx:rc, whose every user is trusted")
      ->type_name("WHICH");
  line.add_option("--checkpoint", options->conduct.checkpoints.folder,
                  "keep checkpoints of the run in this folder, from which `skein restart`\n"
                  "can go on (`skein checkpoint` asks for one)")
      ->type_name("DIR");
  declare_checkpoint_settings(line, options->conduct.checkpoints);
  line.add_flag("--bind", options->bind,
                "each node runs on a share of the cores of its own, in equal parts,\nas under mpirun");
  line.add_option("--timeout", options->conduct.timeout_s, "end the run after S seconds, with status 124")
      ->type_name("S")
      ->check(CLI::Range(1, 1000000).description(""));
  return [options, &line] { return run(*options, line.remaining()); };
}

} // namespace

void declare_checkpoint_settings(CLI::App &line, CheckpointSettings &settings) {
  const std::map<std::string, int> units = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
  line.add_option("--every", settings.every_s,
                  "how often there is to be a checkpoint: 30s, 5m, 1h; else only when asked")
      ->type_name("TIME")
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::DEFAULT, ""))
      ->check(CLI::Range(1, 1000000).description(""));
  line.add_option("--keep", settings.keep, "how many checkpoints are kept (3)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  line.add_option("--checkpoint-patience", settings.patience_s,
                  "how long nodes may take to halt before a checkpoint is given up (60s)")
      ->type_name("TIME")
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::DEFAULT, ""))
      ->check(CLI::Range(1, 1000000).description(""));
  line.add_option("--recoveries", settings.recoveries,
                  "with SKEIN_OPTIONS=deaths=recover: how often the run may go back\n"
                  "without a checkpoint in between (5)")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000).description(""));
}

void set_environment(Launch &launch, const std::string &transport) {
  const bool ucx = by_ucx(transport);
  if (ucx && access("/proc/self/fd", R_OK) != 0)
    throw std::string("UCX needs /proc: mount -t proc proc /proc");
  const std::string library = transport_library(ucx ? "ucx" : transport);
  launch.transport = transport;
  launch.environment.emplace_back(bootstrap::transport_variable, library);
  if (!getenv(bootstrap::transport_variable) && access(library.c_str(), R_OK) != 0)
    throw "the transport library is missing: " + library;
  if (!ucx)
    return;
  const std::string names = ucx_transports(transport);
  setenv("UCX_TLS", names.c_str(), 1); // whatever the user has set
  for (auto &variable : ucx_environment(names))
    launch.environment.push_back(variable);
}

void settle_for_checkpoints(Launch &launch, const std::string &transport) {
  if (by_ucx(transport))
    throw "--transport " + transport +
        ": a run with checkpoints talks over shm or tcp, since UCX has kernel threads and queues of its own that no "
        "copy of a node could take along";
  launch.checkpoints = true;
  add_checkpoint_environment(launch.environment);
  launch.nodes = std::max(launch.nodes, 2); // a node that is alone from the start has nobody who could halt it
}

void read_knobs(Launch &launch, Conduct &conduct) {
  char error[640];
  if (knobs_from_environment(error, sizeof error) != 0)
    throw std::string(error);
  conduct.survive = knobs.deaths == Deaths::survive;
  conduct.recover = knobs.deaths == Deaths::recover;
  conduct.start_s = static_cast<int>(knobs.start_s);
  launch.same_image = launch.nodes > 1 && knobs.image == ImagePlace::same;
  launch.share_stacks = launch.nodes > 1 && knobs.stacks == StackStrategy::shared;
  if (launch.share_stacks && launch.checkpoints)
    throw std::string("SKEIN_OPTIONS=stacks=shared: a run with checkpoints cannot share stacks, since a copy of a node "
                      "would go on in the same memory as the node (stacks=auto can)");
  launch.monitored = !*knobs.monitor_in;
}

void settle_sockets(Launch &launch) {
  launch.environment.emplace_back(bootstrap::transport_variable, transport_library("tcp"));
  launch.files_in = run_folder_parent();
  add_option("shared=remote");
}

std::vector<std::pair<std::string, std::string>> ucx_environment(const std::string &names) {
  std::vector<std::pair<std::string, std::string>> environment;
  auto set = [&](const char *name, const char *value) { environment.emplace_back(name, value); };
  // This keeps UCX away from mmap and signals, which works only if it is set before exec.
  set("UCX_MEM_EVENTS", "n");
  set("UCX_HANDLE_ERRORS", "none");
  set("UCX_ERROR_SIGNALS", "");
  // UCX takes SIGHUP as a request to switch its log on, but a node has to end with its terminal.
  set("UCX_DEBUG_SIGNO", "0");
  set("UCX_WARN_UNUSED_ENV_VARS", "n");
  // This makes UCX report a peer that fails to Skein, in shared memory too.
  set("UCX_MM_ERROR_HANDLING", "y");
  set("UCX_LOG_LEVEL", "fatal");
  set("UCX_RNDV_THRESH", "64k");
  set("UCX_TLS", names.c_str());
  // This shortens the start of each node: the modules for InfiniBand, which shared memory does not need, cost 3 ms, and
  // 512 receive buffers of 8 KiB at once, for a queue of 256, cost 3 ms.
  const bool shm = names.compare(0, 5, "posix") == 0;
  if (shm)
    set("UCX_MODULES", "cma");
  // The launcher tells which node is dead. UCX would look for itself, and close the endpoint (ucx_transport.cpp).
  if (shm)
    set("UCX_KEEPALIVE_INTERVAL", "inf");
  set("UCX_POSIX_RX_BUFS_GROW", "64");
  return environment;
}

extern const Command run_command = {"run", "start a program on several nodes of this machine", declare};

} // namespace skein::launch
