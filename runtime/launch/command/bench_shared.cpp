// `skein bench shared`: what loops over shared memory that can be addressed cost, beside the same loops of plain C: in
// the node's own memory, and in that of another node of this host. libexec/skein/shared_rows measures.
#include "launch/command/bench.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

namespace skein::launch {

const char *const bench_shared_help = "usage: skein bench shared [options]\n\n"
                                      "Prints nanoseconds an element of STREAM's triad and of a walk along a list in "
                                      "random order, in the cache and beyond,\n"
                                      "over shared memory of the own node and of another node of this host, and the "
                                      "ratio to plain C in malloc's memory.\n\n"
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

} // namespace

int bench_shared(const Arguments &arguments) {
  std::string rounds = "5", value;
  bool markdown = false;
  double fail_ratio = 0;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (option_value(arguments, i, "--rounds", rounds)) {
      if (atoi(rounds.c_str()) < 1)
        throw "--rounds: '" + rounds + "' is not a positive number";
    } else if (option_value(arguments, i, "--fail-ratio", value)) {
      fail_ratio = atof(value.c_str());
      if (fail_ratio <= 0)
        throw "--fail-ratio: '" + value + "' is not a positive number";
    } else if (arguments[i] == "--markdown") {
      markdown = true;
    } else {
      throw "bench shared: what is '" + arguments[i] + "'? `skein bench shared --help` lists the options";
    }
  }
  const std::string bin = program_directory(), program = bin.substr(0, bin.rfind('/')) + "/libexec/skein/shared_rows";
  Execution execution = execute({bin + "/skein", "run", "-n", "2", program, rounds}, {"SKEIN_OPTIONS=workers=1"});
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
