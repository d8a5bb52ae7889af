// `skein bench overhead`: what a program pays for being compiled so that its threads can move, while nothing moves.
//
// Each program is compiled by clang and, in several *variants* (with -flto, with polls, …), by skeincc with the same
// options, and all run in turn, in an order that rotates from round to round, so that a machine that slows down or
// speeds up favours none. What counts is CPU time of the process (user and system, start-up of the runtime included),
// which other load disturbs less than wall time. A program's figure is the median of the ratios of its rounds, with the
// middle half of them as its spread; the headline is their geometric mean.
//
// Times of short runs on shared machines scatter by several percent. Instructions do not: `--instructions` has valgrind
// count them, once for each program and variant, in a copy of the program that makes fewer rounds (ROUNDS in its
// source).
//
// All must print the same, or the benchmark fails: a fast wrong answer is no answer.
#include "bench/variants.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein::launch {

const char *const bench_overhead_help =
    "usage: skein bench overhead [options]\n\n"
    "Compiles call- and pointer-heavy programs with clang and, in several variants, with skeincc, runs them in turn, "
    "and\n"
    "prints the CPU time of clang's and the ratio of each variant to it: median, middle half, geometric mean, "
    "worst.\n\n"
    "  --rounds N        runs of each (default 11)\n"
    "  --filter TEXT     only programs whose name contains TEXT\n"
    "  --variants LIST   of plain, lto, thinlto, polls, lto-polls, private (globals), heap (private),\n"
    "                    private-all (both), growable (default plain,lto,polls)\n"
    "  --instructions    count instructions, too (valgrind; minutes)\n"
    "  --options TEXT    options for both compilers (default -O2)\n"
    "  --skeincc-options TEXT   options for skeincc only\n"
    "  --clang PROGRAM   the compiler to compare with (default clang-22)\n"
    "  --dir DIR         where the programs are, DIR/*.c (default share/skein/bench/overhead beside bin)\n"
    "  --markdown        print the tables as docs/benchmarks.md has them\n"
    "  --csv FILE        write every run: program,variant,round,seconds,instructions\n"
    "  --fail-mean X     exit 1 if a geometric mean is above X: of the instructions if counted, else of the times\n"
    "  --fail-worst X    exit 1 if a worst ratio is above X\n";

namespace {

struct Settings {
  int rounds = 11;
  std::string filter, options = "-O2", skeincc_options, clang = "clang-22", directory, csv;
  std::vector<Variant> variants;
  bool instructions = false, markdown = false;
  double fail_mean = 0, fail_worst = 0;
};

/// One variant of one program.
struct Column {
  std::vector<double> seconds, ratios; // by round
  uint64_t instructions = 0;
  double low = 0, ratio = 0, high = 0; // quartiles and median of the ratios
  double instruction_ratio = 0;        // 0: not counted
};

struct Result {
  std::string name;
  std::vector<Column> columns; // clang's, then one a variant
};

Settings parse(const Arguments &arguments) {
  Settings settings;
  std::string value, variants = "plain,lto,polls";
  for (size_t i = 0; i < arguments.size(); i++) {
    if (option_value(arguments, i, "--rounds", value))
      settings.rounds = static_cast<int>(number(value, "--rounds", 1));
    else if (arguments[i] == "--instructions")
      settings.instructions = true;
    else if (arguments[i] == "--markdown")
      settings.markdown = true;
    else if (option_value(arguments, i, "--filter", settings.filter) ||
             option_value(arguments, i, "--variants", variants) ||
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
  settings.variants = variants_of(variants, "overhead");
  if (settings.directory.empty())
    settings.directory = share_directory("bench/overhead");
  return settings;
}

/// `brief`: for valgrind. A program that has many rounds makes a thirty-second of them.
std::string compile(const Settings &settings, Scratch &scratch, const std::string &name, const Variant &variant,
                    bool brief) {
  bool skeincc = variant.name != clang_itself.name;
  std::string output = scratch.path + "/" + name + "." + variant.name + (brief ? ".brief" : "");
  std::vector<std::string> argv = compiler_of(variant, settings.clang, settings.options);
  if (brief)
    argv.push_back("-DROUNDS(n)=((n)/32+1)");
  if (skeincc)
    split(settings.skeincc_options, ' ', argv);
  // Valgrind 3.19 gives up on clang's debugging information, which a runtime for developers has.
  argv.insert(argv.end(), {settings.directory + "/" + name + ".c", "-o", output, "-lm", "-Wl,--strip-debug"});
  scratch.files.push_back(output);
  if (execute(argv).status != 0)
    throw argv[0] + " could not compile " + name + ".c";
  return output;
}

Execution run_program(const std::vector<std::string> &argv) {
  Execution execution = execute(argv);
  if (execution.status != 0)
    throw argv.back() + " ended with status " + std::to_string(execution.status);
  return execution;
}

uint64_t count_instructions(Scratch &scratch, const std::string &program) {
  std::string log = scratch.path + "/valgrind.log";
  scratch.files.push_back(log);
  run_program({"valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
               "--log-file=" + log, program});
  FILE *file = fopen(log.c_str(), "r");
  if (!file)
    throw "cannot read " + log + ": " + strerror(errno);
  uint64_t count = 0;
  char line[256];
  while (fgets(line, sizeof line, file))
    if (const char *found = strstr(line, "I   refs:") ? strstr(line, "I   refs:") : strstr(line, "I refs:"))
      for (const char *at = strchr(found, ':'); *at; at++)
        if (*at >= '0' && *at <= '9')
          count = count * 10 + static_cast<uint64_t>(*at - '0');
  fclose(file);
  if (!count)
    throw "valgrind did not say how many instructions " + program + " executed";
  return count;
}

Result run(const Settings &settings, Scratch &scratch, const std::string &name) {
  std::vector<Variant> sides = settings.variants;
  sides.insert(sides.begin(), clang_itself);
  std::vector<std::string> files;
  for (const Variant &side : sides)
    files.push_back(compile(settings, scratch, name, side, false));
  Result result{name, std::vector<Column>(files.size())};
  std::string output;
  for (int round = 0; round < settings.rounds; round++) {
    for (size_t i = 0; i < files.size(); i++) {
      size_t which = (i + static_cast<size_t>(round)) % files.size();
      Execution execution = run_program({files[which]});
      if (output.empty())
        output = execution.output;
      if (execution.output != output)
        throw name + ": not all variants print the same\n  " + output + "  " + execution.output;
      result.columns[which].seconds.push_back(execution.cpu_seconds);
    }
    for (Column &column : result.columns)
      column.ratios.push_back(column.seconds.back() / result.columns[0].seconds.back());
  }
  for (size_t i = 0; i < files.size(); i++) {
    Column &column = result.columns[i];
    column.low = quantile(column.ratios, 0.25);
    column.ratio = median(column.ratios);
    column.high = quantile(column.ratios, 0.75);
    if (!settings.instructions)
      continue;
    column.instructions = count_instructions(scratch, compile(settings, scratch, name, sides[i], true));
    column.instruction_ratio =
        static_cast<double>(column.instructions) / static_cast<double>(result.columns[0].instructions);
  }
  return result;
}

void print_heading(const Settings &settings) {
  printf(settings.markdown ? "| program | clang, s |" : "%-12s %8s", "program", "clang");
  for (const Variant &variant : settings.variants)
    if (settings.markdown)
      printf(settings.instructions ? " %s: time | | instructions |" : " %s: time | |", variant.title);
    else
      printf("   %-28s", variant.title);
  printf("\n");
  if (!settings.markdown)
    return;
  printf("|---|---|");
  for (size_t i = 0; i < settings.variants.size(); i++)
    printf(settings.instructions ? "---|---|---|" : "---|---|");
  printf("\n");
}

void print(const Settings &settings, const Result &result) {
  const char *bar = settings.markdown ? " |" : "";
  printf(settings.markdown ? "| %s | %.3f |" : "%-12s %8.3f", result.name.c_str(), median(result.columns[0].seconds));
  for (size_t i = 1; i < result.columns.size(); i++) {
    const Column &column = result.columns[i];
    printf("%s %.3f%s (%.3f-%.3f)%s", settings.markdown ? "" : "  ", column.ratio, bar, column.low, column.high, bar);
    if (column.instruction_ratio > 0)
      printf(" %.3f%s", column.instruction_ratio, bar);
    else if (!settings.markdown)
      printf("     -");
  }
  printf("\n");
  fflush(stdout);
}

double geometric_mean(const std::vector<Result> &results, size_t column, double Column::*value) {
  double logarithms = 0;
  for (const Result &result : results)
    logarithms += std::log(result.columns[column].*value);
  return std::exp(logarithms / static_cast<double>(results.size()));
}

/// Of one variant. False: above a limit.
bool summarise(const Settings &settings, const std::vector<Result> &results, size_t column) {
  auto value = settings.instructions ? &Column::instruction_ratio : &Column::ratio;
  const Result *worst = &results[0];
  for (const Result &result : results)
    if (result.columns[column].*value > worst->columns[column].*value)
      worst = &result;
  double mean = geometric_mean(results, column, value), most = worst->columns[column].*value;
  const char *title = settings.variants[column - 1].title;
  printf("%s: %zu programs, geometric mean of the times %.3f", title, results.size(),
         geometric_mean(results, column, &Column::ratio));
  if (settings.instructions)
    printf(", of the instructions %.3f", mean);
  printf(", worst %.3f (%s)\n", most, worst->name.c_str());
  bool good = is_within(title, "mean", mean, settings.fail_mean);
  return is_within(title, "worst", most, settings.fail_worst) && good;
}

void write_csv(const Settings &settings, const std::vector<Result> &results) {
  FILE *file = fopen(settings.csv.c_str(), "w");
  if (!file)
    throw "cannot write " + settings.csv + ": " + strerror(errno);
  fprintf(file, "program,variant,round,seconds,instructions\n");
  for (const Result &result : results)
    for (size_t i = 0; i < result.columns.size(); i++)
      for (size_t round = 0; round < result.columns[i].seconds.size(); round++)
        fprintf(file, "%s,%s,%zu,%.6f,%llu\n", result.name.c_str(),
                i ? settings.variants[i - 1].name : clang_itself.name, round, result.columns[i].seconds[round],
                static_cast<unsigned long long>(result.columns[i].instructions));
  if (fclose(file))
    throw "cannot write " + settings.csv + ": " + strerror(errno);
}

} // namespace

int bench_overhead(const Arguments &arguments) {
  Settings settings = parse(arguments);
  std::vector<std::string> names = programs_in(settings.directory, settings.filter);
  Scratch scratch;
  printf(
      "%s %s against skeincc %s, median of %d rounds: CPU seconds of clang's, then ratios to them (middle half)%s\n\n",
      settings.clang.c_str(), settings.options.c_str(), settings.options.c_str(), settings.rounds,
      settings.instructions ? " and of instructions" : "");
  print_heading(settings);
  std::vector<Result> results;
  for (const std::string &name : names) {
    results.push_back(run(settings, scratch, name));
    print(settings, results.back());
  }
  printf("\n");
  bool good = true;
  for (size_t column = 1; column <= settings.variants.size(); column++)
    good &= summarise(settings, results, column);
  if (!settings.csv.empty())
    write_csv(settings, results);
  return good ? 0 : 1;
}

} // namespace skein::launch
