// `skein bench overhead`: what a program pays for being compiled so that its threads can move, while nothing moves.
//
// Each program is compiled twice, by clang and by skeincc with the same options, and the two run in turn: clang first
// in even pairs, skeincc first in odd ones, so that a machine that slows down or speeds up favours neither. What counts
// is CPU time of the process (user and system, start-up of the runtime included), which other load disturbs less than
// wall time. A program's figure is the median of its pairs' ratios; the headline is their geometric mean.
//
// Both must print the same, or the benchmark fails: a fast wrong answer is no answer.
#include "launch/command/bench.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <unistd.h>

namespace skein::launch {

const char *const bench_overhead_help =
    "usage: skein bench overhead [options]\n\n"
    "Compiles call- and pointer-heavy programs with clang and with skeincc, runs them in alternating pairs, and prints "
    "the\n"
    "CPU time of each run, each program's median ratio, the geometric mean and the worst.\n\n"
    "  --pairs N         pairs of runs for each program (default 11)\n"
    "  --filter TEXT     only programs whose name contains TEXT\n"
    "  --options TEXT    options for both compilers (default -O2)\n"
    "  --skeincc-options TEXT   options for skeincc only\n"
    "  --clang PROGRAM   the compiler to compare with (default clang-22)\n"
    "  --dir DIR         where the programs are, DIR/*.c (default share/skein/bench/overhead beside bin)\n"
    "  --csv FILE        write every pair: program,pair,clang_s,skeincc_s,clang_instructions,skeincc_instructions\n"
    "  --fail-mean X     exit 1 if the geometric mean is above X\n"
    "  --fail-worst X    exit 1 if the worst ratio is above X\n";

namespace {

struct Settings {
  int pairs = 11;
  std::string filter, options = "-O2", skeincc_options, clang = "clang-22", directory, csv;
  double fail_mean = 0, fail_worst = 0;
};

struct Pair {
  Execution clang, skeincc;
};

struct Result {
  std::string name;
  std::vector<Pair> pairs;
  double ratio = 0;             // median of the pairs' ratios
  double fastest_ratio = 0;     // of the fastest runs: other load can only slow a run down
  double instruction_ratio = 0; // 0: not counted
};

double number(const std::string &text, const char *option, double least) {
  char *end;
  double value = strtod(text.c_str(), &end);
  if (end == text.c_str() || *end || !(value >= least))
    throw std::string(option) + ": '" + text + "' is not a number of at least " +
        std::to_string(static_cast<int>(least));
  return value;
}

Settings parse(const Arguments &arguments) {
  Settings settings;
  std::string value;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (option_value(arguments, i, "--pairs", value))
      settings.pairs = static_cast<int>(number(value, "--pairs", 1));
    else if (option_value(arguments, i, "--filter", settings.filter) ||
             option_value(arguments, i, "--options", settings.options) ||
             option_value(arguments, i, "--skeincc-options", settings.skeincc_options) ||
             option_value(arguments, i, "--clang", settings.clang) ||
             option_value(arguments, i, "--dir", settings.directory) ||
             option_value(arguments, i, "--csv", settings.csv))
      continue;
    else if (option_value(arguments, i, "--fail-mean", value))
      settings.fail_mean = number(value, "--fail-mean", 0);
    else if (option_value(arguments, i, "--fail-worst", value))
      settings.fail_worst = number(value, "--fail-worst", 0);
    else
      throw "bench overhead: what is '" + arguments[i] + "'? `skein bench overhead --help` lists the options";
  }
  if (settings.directory.empty())
    settings.directory = share_directory("bench/overhead");
  return settings;
}

std::vector<std::string> programs(const Settings &settings) {
  DIR *directory = opendir(settings.directory.c_str());
  if (!directory)
    throw "no programs: cannot open " + settings.directory + ": " + strerror(errno);
  std::vector<std::string> names;
  while (const dirent *entry = readdir(directory)) {
    std::string file = entry->d_name;
    if (file.size() < 3 || file.compare(file.size() - 2, 2, ".c") != 0)
      continue;
    file.resize(file.size() - 2);
    if (file.find(settings.filter) != std::string::npos)
      names.push_back(file);
  }
  closedir(directory);
  if (names.empty())
    throw "no program in " + settings.directory + " has a name with '" + settings.filter + "'";
  std::sort(names.begin(), names.end());
  return names;
}

/// A directory for the compiled programs that is gone when the benchmark ends.
struct Scratch {
  std::string path;
  std::vector<std::string> files;
  Scratch() {
    const char *parent = getenv("TMPDIR");
    path = std::string(parent ? parent : "/tmp") + "/skein-bench-XXXXXX";
    if (!mkdtemp(path.data()))
      throw "cannot create " + path + ": " + strerror(errno);
  }
  ~Scratch() {
    for (const std::string &file : files)
      unlink(file.c_str());
    rmdir(path.c_str());
  }
  Scratch(const Scratch &) = delete;
};

void split(const std::string &text, std::vector<std::string> &to) {
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(' ', at);
    if (end == std::string::npos)
      end = text.size();
    if (end > at)
      to.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

std::string compile(const Settings &settings, Scratch &scratch, const std::string &name, bool skeincc) {
  std::string output = scratch.path + "/" + name + (skeincc ? ".skein" : ".clang");
  std::vector<std::string> argv = {skeincc ? program_directory() + "/skeincc" : settings.clang};
  split(settings.options, argv);
  if (skeincc)
    split(settings.skeincc_options, argv);
  argv.insert(argv.end(), {settings.directory + "/" + name + ".c", "-o", output, "-lm"});
  scratch.files.push_back(output);
  if (execute(argv).status != 0)
    throw argv[0] + " could not compile " + name + ".c";
  return output;
}

Execution measure(const std::string &program) {
  Execution execution = execute({program});
  if (execution.status != 0)
    throw program + " ended with status " + std::to_string(execution.status);
  return execution;
}

std::vector<double> times_of(const Result &result, Execution Pair::*side) {
  std::vector<double> times;
  for (const Pair &pair : result.pairs)
    times.push_back((pair.*side).cpu_seconds);
  return times;
}

double fastest_of(const Result &result, Execution Pair::*side) {
  std::vector<double> times = times_of(result, side);
  return *std::min_element(times.begin(), times.end());
}

Result run(const Settings &settings, Scratch &scratch, const std::string &name) {
  std::string clang = compile(settings, scratch, name, false), skeincc = compile(settings, scratch, name, true);
  Result result{name, {}};
  std::vector<double> ratios, instruction_ratios;
  for (int i = 0; i < settings.pairs; i++) {
    Pair pair;
    if (i % 2) {
      pair.skeincc = measure(skeincc);
      pair.clang = measure(clang);
    } else {
      pair.clang = measure(clang);
      pair.skeincc = measure(skeincc);
    }
    if (pair.clang.output != pair.skeincc.output)
      throw name + ": the two programs do not print the same\n  clang:   " + pair.clang.output +
          "  skeincc: " + pair.skeincc.output;
    ratios.push_back(pair.skeincc.cpu_seconds / pair.clang.cpu_seconds);
    if (pair.clang.instructions && pair.skeincc.instructions)
      instruction_ratios.push_back(static_cast<double>(pair.skeincc.instructions) /
                                   static_cast<double>(pair.clang.instructions));
    result.pairs.push_back(std::move(pair));
  }
  result.ratio = median(ratios);
  result.fastest_ratio = fastest_of(result, &Pair::skeincc) / fastest_of(result, &Pair::clang);
  result.instruction_ratio = median(instruction_ratios);
  return result;
}

void print(const Result &result) {
  printf("%-12s %8.3f %8.3f   %6.3f  %6.3f ", result.name.c_str(), median(times_of(result, &Pair::clang)),
         median(times_of(result, &Pair::skeincc)), result.ratio, result.fastest_ratio);
  if (result.instruction_ratio > 0)
    printf(" %6.3f   ", result.instruction_ratio);
  else
    printf("      -   ");
  for (const Pair &pair : result.pairs)
    printf(" %.3f/%.3f", pair.clang.cpu_seconds, pair.skeincc.cpu_seconds);
  printf("\n");
  fflush(stdout);
}

double geometric_mean(const std::vector<Result> &results, double Result::*value) {
  double logarithms = 0;
  for (const Result &result : results)
    logarithms += std::log(result.*value);
  return std::exp(logarithms / static_cast<double>(results.size()));
}

void write_csv(const std::string &path, const std::vector<Result> &results) {
  FILE *file = fopen(path.c_str(), "w");
  if (!file)
    throw "cannot write " + path + ": " + strerror(errno);
  fprintf(file, "program,pair,clang_s,skeincc_s,clang_instructions,skeincc_instructions\n");
  for (const Result &result : results)
    for (size_t i = 0; i < result.pairs.size(); i++) {
      const Pair &pair = result.pairs[i];
      fprintf(file, "%s,%zu,%.6f,%.6f,%llu,%llu\n", result.name.c_str(), i, pair.clang.cpu_seconds,
              pair.skeincc.cpu_seconds, static_cast<unsigned long long>(pair.clang.instructions),
              static_cast<unsigned long long>(pair.skeincc.instructions));
    }
  if (fclose(file))
    throw "cannot write " + path + ": " + strerror(errno);
}

} // namespace

int bench_overhead(const Arguments &arguments) {
  Settings settings = parse(arguments);
  std::vector<std::string> names = programs(settings);
  Scratch scratch;
  printf("CPU seconds (median of %d), %s %s against skeincc %s\nratio: median of the pairs' ratios; fastest: "
         "ratio of the fastest runs\n\n",
         settings.pairs, settings.clang.c_str(), settings.options.c_str(), settings.options.c_str());
  printf("%-12s %8s %8s   %6s %7s  %6s    %s\n", "program", "clang", "skeincc", "ratio", "fastest", "instr.",
         "pairs clang/skeincc");
  std::vector<Result> results;
  for (const std::string &name : names) {
    results.push_back(run(settings, scratch, name));
    print(results.back());
  }
  const Result *worst = &results[0];
  for (const Result &result : results)
    if (result.ratio > worst->ratio)
      worst = &result;
  double mean = geometric_mean(results, &Result::ratio);
  printf("\n%zu programs: geometric mean %.3f (of the fastest runs %.3f), worst %.3f (%s)\n", results.size(), mean,
         geometric_mean(results, &Result::fastest_ratio), worst->ratio, worst->name.c_str());
  if (!settings.csv.empty())
    write_csv(settings.csv, results);
  int status = 0;
  if (settings.fail_mean > 0 && mean > settings.fail_mean) {
    printf("the mean is above %.3f\n", settings.fail_mean);
    status = 1;
  }
  if (settings.fail_worst > 0 && worst->ratio > settings.fail_worst) {
    printf("the worst is above %.3f\n", settings.fail_worst);
    status = 1;
  }
  return status;
}

} // namespace skein::launch
