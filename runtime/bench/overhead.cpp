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

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

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
  Comparison comparison;
  std::string skeincc_options, directory;
  bool instructions = false;
};

/// One variant of one program.
struct Column {
  Samples times;
  uint64_t instructions = 0;
  double instruction_ratio = 0; // 0: not counted
};

struct Result {
  std::string name;
  std::vector<Column> columns; // clang's, then one a variant
};

Settings parse(const Arguments &arguments) {
  Settings settings;
  Comparison &comparison = settings.comparison;
  comparison.rounds = 11;
  comparison.clang = "clang-22";
  comparison.list = "plain,lto,polls";
  for (size_t i = 0; i < arguments.size(); i++)
    if (arguments[i] == "--instructions")
      settings.instructions = true;
    else if (!comparison.take(arguments, i) &&
             !option_value(arguments, i, "--skeincc-options", settings.skeincc_options) &&
             !option_value(arguments, i, "--dir", settings.directory))
      throw "bench overhead: what is '" + arguments[i] + "'? `skein bench overhead --help` lists the options";
  comparison.find_variants("overhead");
  if (settings.directory.empty())
    settings.directory = share_directory("bench/overhead");
  return settings;
}

/// `brief`: for valgrind. A program that has many rounds makes a thirty-second of them.
std::string compile(const Settings &settings, Scratch &scratch, const std::string &name, const Variant &variant,
                    bool brief) {
  bool skeincc = variant.name != clang_itself.name;
  std::string output = scratch.path + "/" + name + "." + variant.name + (brief ? ".brief" : "");
  std::vector<std::string> argv = compiler_of(variant, settings.comparison.clang, settings.comparison.options);
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
  const std::vector<Variant> sides = settings.comparison.sides();
  std::vector<std::string> files;
  for (const Variant &side : sides)
    files.push_back(compile(settings, scratch, name, side, false));
  Result result{name, std::vector<Column>(sides.size())};
  std::string output;
  std::vector<Samples> times = measure_in_turn(settings.comparison.rounds, sides.size(), [&](size_t side) {
    Execution execution = run_program({files[side]});
    if (output.empty())
      output = execution.output;
    if (execution.output != output)
      throw name + ": not all variants print the same\n  " + output + "  " + execution.output;
    return execution.cpu_seconds;
  });
  for (size_t i = 0; i < sides.size(); i++) {
    Column &column = result.columns[i];
    column.times = std::move(times[i]);
    if (!settings.instructions)
      continue;
    column.instructions = count_instructions(scratch, compile(settings, scratch, name, sides[i], true));
    column.instruction_ratio =
        static_cast<double>(column.instructions) / static_cast<double>(result.columns[0].instructions);
  }
  return result;
}

void print_heading(const Settings &settings) {
  const bool markdown = settings.comparison.markdown;
  const std::vector<Variant> &variants = settings.comparison.variants;
  printf(markdown ? "| program | clang, s |" : "%-12s %8s", "program", "clang");
  for (const Variant &variant : variants)
    if (markdown)
      printf(settings.instructions ? " %s: time | | instructions |" : " %s: time | |", variant.title);
    else
      printf("   %-28s", variant.title);
  printf("\n");
  if (!markdown)
    return;
  printf("|---|---|");
  for (size_t i = 0; i < variants.size(); i++)
    printf(settings.instructions ? "---|---|---|" : "---|---|");
  printf("\n");
}

void print(const Settings &settings, const Result &result) {
  const bool markdown = settings.comparison.markdown;
  const char *bar = markdown ? " |" : "";
  printf(markdown ? "| %s | %.3f |" : "%-12s %8.3f", result.name.c_str(), median(result.columns[0].times.seconds));
  for (size_t i = 1; i < result.columns.size(); i++) {
    const Column &column = result.columns[i];
    const std::vector<double> &ratios = column.times.ratios;
    printf("%s %.3f%s (%.3f-%.3f)%s", markdown ? "" : "  ", median(ratios), bar, quantile(ratios, 0.25),
           quantile(ratios, 0.75), bar);
    if (column.instruction_ratio > 0)
      printf(" %.3f%s", column.instruction_ratio, bar);
    else if (!markdown)
      printf("     -");
  }
  printf("\n");
  fflush(stdout);
}

/// Of one variant. False: above a limit.
bool summarise(const Settings &settings, const std::vector<Result> &results, size_t column) {
  Figure times, instructions;
  for (const Result &result : results) {
    times.values.push_back(median(result.columns[column].times.ratios));
    instructions.values.push_back(result.columns[column].instruction_ratio);
  }
  const Figure &judged = settings.instructions ? instructions : times;
  const char *title = settings.comparison.variants[column - 1].title;
  printf("%s: %zu programs, geometric mean of the times %.3f", title, results.size(), times.mean());
  if (settings.instructions)
    printf(", of the instructions %.3f", instructions.mean());
  printf(", worst %.3f (%s)\n", judged.values[judged.worst()], results[judged.worst()].name.c_str());
  return is_within(settings.comparison, title, judged);
}

void write_csv(const Settings &settings, const std::vector<Result> &results) {
  CsvFile csv(settings.comparison.csv);
  fprintf(csv.get(), "program,variant,round,seconds,instructions\n");
  const std::vector<Variant> sides = settings.comparison.sides();
  for (const Result &result : results)
    for (size_t i = 0; i < sides.size(); i++) {
      const Column &column = result.columns[i];
      for (size_t round = 0; round < column.times.seconds.size(); round++)
        fprintf(csv.get(), "%s,%s,%zu,%.6f,%llu\n", result.name.c_str(), sides[i].name, round,
                column.times.seconds[round], static_cast<unsigned long long>(column.instructions));
    }
  csv.close();
}

} // namespace

int bench_overhead(const Arguments &arguments) {
  const Settings settings = parse(arguments);
  const Comparison &comparison = settings.comparison;
  std::vector<std::string> names = programs_in(settings.directory, comparison.filter);
  Scratch scratch;
  printf("%s %s against skeincc %s, median of %d rounds: CPU seconds of clang's, then ratios to them (middle half)%s"
         "\n\n",
         comparison.clang.c_str(), comparison.options.c_str(), comparison.options.c_str(), comparison.rounds,
         settings.instructions ? " and of instructions" : "");
  print_heading(settings);
  std::vector<Result> results;
  for (const std::string &name : names) {
    results.push_back(run(settings, scratch, name));
    print(settings, results.back());
  }
  printf("\n");
  bool good = true;
  for (size_t column = 1; column <= comparison.variants.size(); column++)
    good &= summarise(settings, results, column);
  if (!comparison.csv.empty())
    write_csv(settings, results);
  return good ? 0 : 1;
}

} // namespace skein::launch
