// `skein bench shared`: what loops over shared memory that can be addressed cost, beside the same loops of plain C: in
// the node's own memory, and in that of another node of this host. libexec/skein/shared_rows measures. `--remote`: what
// gets and puts by messages cost, as between hosts, beside bare UCX, bare sockets and OpenMPI's one-sided operations,
// all run in turn (libexec/skein/remote_rows, ucx_gets, socket_gets, mpi_gets).
#include "bench/bench.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <unistd.h>

namespace skein::launch {

const char *const bench_shared_help =
    "usage: skein bench shared [options]\n\n"
    "Prints nanoseconds an element of STREAM's triad and of a walk along a list in "
    "random order, in the cache and beyond,\n"
    "over shared memory of the own node and of another node of this host, and the "
    "ratio to plain C in malloc's memory.\n\n"
    "  --remote          gets and puts of 8 bytes by messages instead: "
    "nanoseconds one by one, millions a second by\n"
    "                    64 threads, or by one that starts 64 and waits for all "
    "(`started`), beside bare UCX's,\n"
    "                    over TCP also bare sockets' and those of connections that are not sealed (tcp=plain),\n"
    "                    and, where it is installed, OpenMPI's one-sided operations, "
    "of which one starts 64, too\n"
    "  --rounds N        (default 5); what is shown are medians\n"
    "  --markdown        print the table as docs/benchmarks.md has it\n"
    "  --fail-ratio X    exit 1 if a ratio of the own node's memory is above X\n";

namespace {

struct Row {
  const char *name, *title;
};
constexpr Row rows[] = {{"triad-cache", "triad, 190 KB"},
                        {"triad-memory", "triad, 50 MB"},
                        {"chase-cache", "list, 256 KB"},
                        {"chase-memory", "list, 33 MB"}};

struct Figures {
  std::vector<double> plain, shared, ratios;
};

std::string helper(const char *name) {
  const std::string bin = program_directory();
  return bin.substr(0, bin.rfind('/')) + "/libexec/skein/" + name;
}

/// Gets and puts, one by one and 64 at a time.
struct Accesses {
  struct Kind {
    std::vector<double> ns, rate;
  } kinds[2];

  /// `started`: also the rates of one thread that starts 64 and waits for all of them.
  void measure(const std::vector<std::string> &argv, const std::vector<std::string> &environment,
               Accesses *started = nullptr) {
    const Execution execution = execute(argv, environment);
    std::istringstream output(execution.output);
    for (Kind &kind : kinds) {
      double one, many;
      if (execution.status != 0 || !(output >> one >> many))
        throw argv[0] + " ended with status " + std::to_string(execution.status);
      kind.ns.push_back(one);
      kind.rate.push_back(many / 1e6);
    }
    for (int i = 0; i < 2 && started; i++) {
      double many;
      if (!(output >> many))
        throw argv[0] + " ended with status " + std::to_string(execution.status);
      started->kinds[i].rate.push_back(many / 1e6);
    }
  }
};

void measure_remote(const std::string &transport, int rounds, bool markdown) {
  const std::vector<std::string> environment = bare_ucx_environment(transport);
  std::vector<std::string> mpi = {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"};
  if (transport == "tcp")
    mpi.insert(mpi.end(), {"--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo",
                           "--mca", "osc", "pt2pt"}); // the others use the host's shared memory all the same
  mpi.push_back(helper("mpi_gets"));
  const bool has_mpi = access(mpi.back().c_str(), X_OK) == 0;
  Accesses ucx, sockets, skein, started, plain, plain_started, mapped, peer;
  for (int round = 0; round < rounds; round++) {
    ucx.measure({helper("ucx_gets"), "20000"}, environment);
    skein.measure({program_directory() + "/skein", "run", "-n", "2", "--transport", transport, helper("remote_rows")},
                  {"SKEIN_OPTIONS=shared=remote,workers=1"}, &started);
    if (transport == "tcp") {
      sockets.measure({helper("socket_gets"), "20000"}, {});
      plain.measure({program_directory() + "/skein", "run", "-n", "2", "--transport", transport, helper("remote_rows")},
                    {"SKEIN_OPTIONS=shared=remote,workers=1,tcp=plain"}, &plain_started);
    }
    if (transport == "shm")
      mapped.measure({program_directory() + "/skein", "run", "-n", "2", helper("remote_rows")},
                     {"SKEIN_OPTIONS=workers=1"});
    if (has_mpi)
      peer.measure(mpi, {"TMPDIR=/tmp"});
  }
  const auto print = [&](const char *title, const Accesses &accesses) {
    for (int i = 0; i < 2; i++) {
      const double rate = median(accesses.kinds[i].rate);
      char ns[64];
      if (accesses.kinds[i].ns.empty())
        snprintf(ns, sizeof ns, markdown ? " | " : "%9s %9s", "", "");
      else
        snprintf(ns, sizeof ns, markdown ? "%.0f | %.2f" : "%9.0f %9.2f", median(accesses.kinds[i].ns),
                 median(accesses.kinds[i].ns) / median(ucx.kinds[i].ns));
      printf(markdown ? "| %s | %s | %s | %s | %.3f | %.2f |\n" : "%-10s %-6s %-16s %s %9.3f %9.2f\n",
             transport.c_str(), i ? "put" : "get", title, ns, rate, rate / median(ucx.kinds[i].rate));
    }
  };
  print("bare UCX", ucx);
  if (transport == "tcp")
    print("bare sockets", sockets);
  print("Skein", skein);
  print("Skein, started", started);
  if (transport == "tcp") {
    print("Skein, tcp=plain", plain);
    print("plain, started", plain_started);
  }
  if (transport == "shm")
    print("Skein, mapped", mapped);
  if (has_mpi)
    print("OpenMPI", peer);
}

} // namespace

int bench_shared(const Arguments &arguments) {
  std::string rounds = "5", value;
  bool markdown = false, remote = false;
  double fail_ratio = 0;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (option_value(arguments, i, "--rounds", rounds)) {
      if (atoi(rounds.c_str()) < 1)
        throw "--rounds: '" + rounds + "' is not a positive number";
    } else if (option_value(arguments, i, "--fail-ratio", value)) {
      fail_ratio = atof(value.c_str());
      if (fail_ratio <= 0)
        throw "--fail-ratio: '" + value + "' is not a positive number";
    } else if (arguments[i] == "--remote") {
      remote = true;
    } else if (arguments[i] == "--markdown") {
      markdown = true;
    } else {
      throw "bench shared: what is '" + arguments[i] + "'? `skein bench shared --help` lists the options";
    }
  }
  if (remote) {
    puts(markdown
             ? "| transport | access | by | ns | to UCX | 64 at a time, M/s | to UCX |\n|---|---|---|---|---|---|---|"
             : "transport  access by                      ns    to UCX   64, M/s    to UCX");
    for (const char *transport : {"shm", "tcp"}) {
      measure_remote(transport, atoi(rounds.c_str()), markdown);
      fflush(stdout); // the next one takes minutes
    }
    return 0;
  }
  const std::string program = helper("shared_rows");
  Execution execution =
      execute({program_directory() + "/skein", "run", "-n", "2", program, rounds}, {"SKEIN_OPTIONS=workers=1"});
  if (execution.status != 0)
    throw program + " ended with status " + std::to_string(execution.status);
  std::map<std::pair<std::string, int>, Figures> figures;
  std::istringstream output(execution.output);
  std::string row;
  int node;
  for (double plain, shared; output >> row >> node >> plain >> shared;) {
    Figures &these = figures[{row, node}];
    these.plain.push_back(plain);
    these.shared.push_back(shared);
    these.ratios.push_back(shared / plain);
  }
  const char *const line = markdown ? "| %s | %s | %.2f | %.2f | %.2f |\n" : "%-16s %-22s %9.2f %9.2f %9.2f\n";
  puts(markdown ? "| loop | memory | plain ns | shared ns | ratio |\n|---|---|---|---|---|"
                : "loop             memory                  plain ns shared ns     ratio");
  bool failed = false;
  for (const Row &each : rows)
    for (int owner = 0; owner < 2; owner++) {
      const Figures &these = figures[{each.name, owner}];
      const double ratio = median(these.ratios);
      printf(line, each.title, owner ? "of another node here" : "own", median(these.plain), median(these.shared),
             ratio);
      failed = failed || (fail_ratio != 0 && owner == 0 && ratio > fail_ratio);
    }
  return failed;
}

} // namespace skein::launch
