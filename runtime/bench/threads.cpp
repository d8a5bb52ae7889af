// `skein bench threads`: what thread and synchronisation operations cost on one worker, beside kernel threads,
// Boost.Context and Boost.Fiber, and Go, as far as they were there when Skein was built. The rows, and what they mean,
// are those of Table 2 of TR-97-054 (its section 7.1); the figures it gives stand beside ours.
//
// Each participant is a program (libexec/skein/threads_*) that prints a line a row. They run in turn, and what is shown
// is the median over the rounds; a ratio is the median of the ratios within the rounds, since machines speed up and
// slow down over minutes.
#include "bench/bench.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <unistd.h>

namespace skein::launch {

const char *const bench_threads_help =
    "usage: skein bench threads [options]\n\n"
    "Prints what operations on threads and locks cost on one worker, in nanoseconds, with the ratio to each peer that "
    "is\n"
    "installed (ours / theirs: below 1 we are faster), and the seed's figures (Table 2 of TR-97-054).\n\n"
    "  --rounds N        runs of each participant (default 5)\n"
    "  --peers LIST      of pthread, boost, go; or none (default all that are here)\n"
    "  --markdown        print the table as docs/benchmarks.md has it\n"
    "  --csv FILE        write every run: participant,row,round,ns\n"
    "  --fail-ratio X    exit 1 if the ratio to Boost.Context or Boost.Fiber, or half of that to Go, is above X\n\n"
    "Peers are built with Skein where they are installed: libboost-context-dev, libboost-fiber-dev, golang-go.\n";

namespace {

struct Row {
  const char *name, *title;
  double ultrasparc_us, pentium_us; // Table 2; 0: not in it
};
constexpr Row rows[] = {
    {"create", "thread create", 1.3, 1.4},
    {"null", "null thread", 5.6, 4.4},
    {"raw", "switch, bare", 0, 0},
    {"switch", "context switch", 1.7, 1.5},
    {"mutex", "uncontested mutex", 0.4, 0.5},
    {"semaphore", "uncontested semaphore", 0.4, 0.5},
    {"mutex-try", "mutex try", 0.2, 0.2},
    {"semaphore-try", "semaphore try", 0.2, 0.2},
    {"mutex-ping-pong", "mutex ping-pong", 6.0, 3.4},
    {"semaphore-ping-pong", "semaphore ping-pong", 6.0, 3.7},
};

struct Participant {
  const char *name, *title;
  std::map<std::string, std::vector<double>> ns = {}; // row: by round
};

struct Settings {
  int rounds = 5;
  bool markdown = false;
  std::string csv, peers = "pthread,boost,go";
  double fail_ratio = 0;
};

Settings parse(const Arguments &arguments) {
  Settings settings;
  std::string value;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (option_value(arguments, i, "--rounds", value)) {
      settings.rounds = atoi(value.c_str());
      if (settings.rounds < 1)
        throw "--rounds: '" + value + "' is not a positive number";
    } else if (option_value(arguments, i, "--fail-ratio", value)) {
      settings.fail_ratio = atof(value.c_str());
      if (settings.fail_ratio <= 0)
        throw "--fail-ratio: '" + value + "' is not a positive number";
    } else if (arguments[i] == "--markdown") {
      settings.markdown = true;
    } else if (option_value(arguments, i, "--peers", settings.peers)) {
      std::istringstream list(settings.peers);
      for (std::string peer; std::getline(list, peer, ',');)
        if (peer != "pthread" && peer != "boost" && peer != "go" && peer != "none")
          throw "--peers: '" + peer + "' is not pthread, boost, go or none";
    } else if (!option_value(arguments, i, "--csv", settings.csv)) {
      throw "bench threads: what is '" + arguments[i] + "'? `skein bench threads --help` lists the options";
    }
  }
  return settings;
}

std::string program_of(const Participant &participant) {
  std::string bin = program_directory();
  return bin.substr(0, bin.rfind('/')) + "/libexec/skein/threads_" + participant.name;
}

void run(Participant &participant) {
  Execution execution = execute({program_of(participant)}, {"SKEIN_OPTIONS=workers=1"});
  if (execution.status != 0)
    throw program_of(participant) + " ended with status " + std::to_string(execution.status);
  std::istringstream output(execution.output);
  std::string name;
  for (double ns; output >> name >> ns;)
    participant.ns[name].push_back(ns);
}

/// Median of ours / theirs within a round; 0 where a row is not theirs.
double ratio(const Participant &ours, const Participant &theirs, const std::string &row) {
  auto a = ours.ns.find(row), b = theirs.ns.find(row);
  if (a == ours.ns.end() || b == theirs.ns.end())
    return 0;
  std::vector<double> ratios;
  for (size_t i = 0; i < a->second.size() && i < b->second.size(); i++)
    ratios.push_back(a->second[i] / b->second[i]);
  return median(ratios);
}

std::string cell(const Participant &participant, const std::string &row) {
  auto found = participant.ns.find(row);
  if (found == participant.ns.end())
    return "";
  char text[32];
  snprintf(text, sizeof text, "%.1f", median(found->second));
  return text;
}

std::string with_ratio(const Participant &ours, const Participant &theirs, const std::string &row) {
  const std::string ns = cell(theirs, row);
  if (ns.empty())
    return "";
  char text[64];
  snprintf(text, sizeof text, "%s (%.2f)", ns.c_str(), ratio(ours, theirs, row));
  return text;
}

std::string microseconds(double us) {
  if (us == 0)
    return "";
  char text[16];
  snprintf(text, sizeof text, "%.1f", us);
  return text;
}

void print(const Settings &settings, const std::vector<Participant> &all) {
  const char *between = settings.markdown ? " | " : "  ", *edge = settings.markdown ? "| " : "";
  printf("%s%-22s", edge, "operation");
  for (const Participant &participant : all)
    printf("%s%18s", between, participant.title);
  printf("%s%12s%s%12s%s\n", between, "UltraSPARC-1", between, "Pentium Pro", settings.markdown ? " |" : "");
  if (settings.markdown) {
    printf("|---|");
    for (size_t i = 0; i < all.size() + 2; i++)
      printf("---:|");
    printf("\n");
  }
  for (const Row &row : rows) {
    printf("%s%-22s", edge, row.title);
    for (const Participant &participant : all)
      printf(
          "%s%18s", between,
          (&participant == &all[0] ? cell(participant, row.name) : with_ratio(all[0], participant, row.name)).c_str());
    printf("%s%12s%s%12s%s\n", between, microseconds(row.ultrasparc_us).c_str(), between,
           microseconds(row.pentium_us).c_str(), settings.markdown ? " |" : "");
  }
}

void write_csv(const std::string &path, const std::vector<Participant> &all) {
  FILE *file = fopen(path.c_str(), "w");
  if (!file)
    throw "cannot write " + path;
  fprintf(file, "participant,row,round,ns\n");
  for (const Participant &participant : all)
    for (const auto &[row, rounds] : participant.ns)
      for (size_t i = 0; i < rounds.size(); i++)
        fprintf(file, "%s,%s,%zu,%.3f\n", participant.name, row.c_str(), i + 1, rounds[i]);
  if (fclose(file))
    throw "cannot write " + path;
}

/// The worst of the ratios that are promised.
double worst(const std::vector<Participant> &all, std::string &which) {
  double most = 0;
  for (const Participant &peer : all)
    for (const Row &row : rows) {
      const bool boost = strcmp(peer.name, "boost") == 0 && (!strcmp(row.name, "raw") || !strcmp(row.name, "switch"));
      const bool go = strcmp(peer.name, "go") == 0 && !strcmp(row.name, "null");
      const double here = (boost ? 1 : go ? 2 : 0) * ratio(all[0], peer, row.name);
      if (here > most) {
        most = here;
        which = std::string(row.title) + " beside " + peer.title;
      }
    }
  return most;
}

} // namespace

int bench_threads(const Arguments &arguments) {
  Settings settings = parse(arguments);
  std::vector<Participant> all = {{"skein", "Skein"}};
  for (Participant peer : {Participant{"pthread", "pthreads"}, {"boost", "Boost"}, {"go", "Go"}})
    if (settings.peers.find(peer.name) == std::string::npos)
      continue;
    else if (access(program_of(peer).c_str(), X_OK) == 0)
      all.push_back(peer);
    else
      fprintf(stderr, "%s is not here: it was not installed when Skein was built\n", peer.title);
  for (int round = 0; round < settings.rounds; round++)
    for (Participant &participant : all) {
      if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rround %d of %d: %-10s", round + 1, settings.rounds, participant.title);
      run(participant);
    }
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r%40s\r", "");
  printf("One worker; ns, median of %d; in parentheses ours / theirs. On the right Table 2 of TR-97-054, us\n\n",
         settings.rounds);
  print(settings, all);
  if (!settings.csv.empty())
    write_csv(settings.csv, all);
  std::string which;
  if (settings.fail_ratio > 0 && worst(all, which) > settings.fail_ratio) {
    printf("\n%s: above %.2f\n", which.c_str(), settings.fail_ratio);
    return 1;
  }
  return 0;
}

} // namespace skein::launch
