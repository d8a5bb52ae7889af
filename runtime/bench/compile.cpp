// `skein bench compile`: what it costs the compiler that threads can move. Each file is compiled by clang and, in
// several variants, by skeincc with the same options, in turn, as in `skein bench overhead`. What counts is CPU time of
// the compiler, what the driver starts included, and the sizes of the machine code and of the frame maps in the object
// file.
//
// The programs of `overhead` are small, and for them loading the plugin is most of what is added. A claim about large
// files needs large files: name them.
#include "bench/variants.h"
#include "launch/command/elf_file.h"

#include "abi/frame_map.h"

#include <cstdio>
#include <cstring>
#include <utility>

namespace skein::launch {

const char *const bench_compile_help =
    "usage: skein bench compile [options] [FILE...]\n\n"
    "Compiles C or C++ files (default: the programs of `skein bench overhead`) with clang and, in several variants, "
    "with\n"
    "skeincc, and prints for each variant the CPU time as a ratio to clang's (median, middle half), the size of the\n"
    "machine code as a ratio to clang's, and the size of the frame maps in KiB.\n\n"
    "  --rounds N        how often each is compiled (default 5)\n"
    "  --filter TEXT     without FILE: only programs whose name contains TEXT\n"
    "  --variants LIST   of plain, polls, private (globals), heap (private), private-all (both), growable, stress,\n"
    "                    stress-all (with both private) (default plain,stress-all)\n"
    "  --options TEXT    options for both compilers, such as -I DIR (default -O2)\n"
    "  --clang PROGRAM   the compiler to compare with (default clang-22, for C++ clang++-22)\n"
    "  --markdown        print the table as docs/benchmarks.md has it\n"
    "  --csv FILE        write every compilation: file,variant,round,seconds,code,maps\n"
    "  --fail-mean X     exit 1 if a geometric mean of the times is above X\n"
    "  --fail-worst X    exit 1 if a ratio of times is above X\n";

namespace {

struct Settings {
  Comparison comparison;
  std::vector<std::string> files;
};

/// One variant of one file. Sizes are bytes.
struct Column {
  Samples times;
  uint64_t code = 0, maps = 0;
};

struct Result {
  std::string name;
  std::vector<Column> columns; // clang's, then one a variant
};

Settings parse(const Arguments &arguments) {
  Settings settings;
  Comparison &comparison = settings.comparison;
  comparison.list = "plain,stress-all";
  for (size_t i = 0; i < arguments.size(); i++)
    if (comparison.take(arguments, i))
      continue;
    else if (arguments[i][0] == '-')
      throw "bench compile: what is '" + arguments[i] + "'? `skein bench compile --help` lists the options";
    else
      settings.files.push_back(arguments[i]);
  comparison.find_variants("compile");
  for (const Variant &variant : comparison.variants)
    if (strstr(variant.name, "lto"))
      throw "--variants: what " + std::string(variant.name) + " compiles is code only when it is linked";
  if (settings.files.empty()) {
    const std::string directory = share_directory("bench/overhead");
    for (const std::string &name : programs_in(directory, comparison.filter))
      settings.files.push_back(directory + "/" + name + ".c");
  }
  return settings;
}

bool is_cxx(const std::string &file) { return file.size() < 2 || file.compare(file.size() - 2, 2, ".c") != 0; }

/// CPU seconds.
double compile(const Comparison &comparison, Scratch &scratch, const std::string &file, const Variant &variant,
               Column &column) {
  const std::string object = scratch.path + "/object.o";
  std::string clang = comparison.clang.empty() ? is_cxx(file) ? "clang++-22" : "clang-22" : comparison.clang;
  std::vector<std::string> argv = compiler_of(variant, clang, comparison.options);
  if (is_cxx(file) && argv[0] != clang)
    argv[0] = program_directory() + "/skein++";
  argv.insert(argv.end(), {"-w", "-c", file, "-o", object});
  scratch.files = {object};
  Execution execution = execute(argv);
  if (execution.status != 0)
    throw argv[0] + " could not compile " + file;
  ElfFile made(object);
  column.code = made.bytes_in("", true);
  column.maps = made.bytes_in(SKEIN_MAPS_SECTION, false);
  return execution.cpu_seconds;
}

Result run(const Comparison &comparison, Scratch &scratch, const std::string &file) {
  const std::vector<Variant> sides = comparison.sides();
  Result result{file.substr(file.rfind('/') + 1), std::vector<Column>(sides.size())};
  std::vector<Samples> times = measure_in_turn(comparison.rounds, sides.size(), [&](size_t side) {
    return compile(comparison, scratch, file, sides[side], result.columns[side]);
  });
  for (size_t i = 0; i < sides.size(); i++)
    result.columns[i].times = std::move(times[i]);
  return result;
}

void print_heading(const Comparison &comparison) {
  printf(comparison.markdown ? "| file | clang, s | code, KiB |" : "%-24s %8s %9s", "file", "clang", "code");
  for (const Variant &variant : comparison.variants)
    printf(comparison.markdown ? " %s: time | | code | maps, KiB |" : "   %-37s", variant.title);
  printf("\n");
  if (!comparison.markdown)
    return;
  printf("|---|---|---|");
  for (size_t i = 0; i < comparison.variants.size(); i++)
    printf("---|---|---|---|");
  printf("\n");
}

double kib(uint64_t bytes) { return static_cast<double>(bytes) / 1024; }

double code_ratio(const Result &result, size_t column) {
  return static_cast<double>(result.columns[column].code) / static_cast<double>(result.columns[0].code);
}

void print(const Comparison &comparison, const Result &result) {
  printf(comparison.markdown ? "| %s | %.3f | %.1f |" : "%-24s %8.3f %9.1f", result.name.c_str(),
         median(result.columns[0].times.seconds), kib(result.columns[0].code));
  for (size_t i = 1; i < result.columns.size(); i++) {
    const std::vector<double> &ratios = result.columns[i].times.ratios;
    printf(comparison.markdown ? " %.3f | (%.3f-%.3f) | %.3f | %.1f |" : "  %7.3f (%.3f-%.3f) %7.3f %9.1f",
           median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75), code_ratio(result, i),
           kib(result.columns[i].maps));
  }
  printf("\n");
  fflush(stdout);
}

/// Of one variant. False: above a limit.
bool summarise(const Comparison &comparison, const std::vector<Result> &results, size_t column) {
  Figure times, codes;
  for (const Result &result : results) {
    times.values.push_back(median(result.columns[column].times.ratios));
    codes.values.push_back(code_ratio(result, column));
  }
  const char *title = comparison.variants[column - 1].title;
  const size_t worst = times.worst();
  printf("%s: %zu files, geometric mean of the times %.3f, of the code %.3f, worst time %.3f (%s)\n", title,
         results.size(), times.mean(), codes.mean(), times.values[worst], results[worst].name.c_str());
  return is_within(comparison, title, times);
}

void write_csv(const Comparison &comparison, const std::vector<Result> &results) {
  CsvFile csv(comparison.csv);
  fprintf(csv.get(), "file,variant,round,seconds,code,maps\n");
  const std::vector<Variant> sides = comparison.sides();
  for (const Result &result : results)
    for (size_t i = 0; i < sides.size(); i++) {
      const Column &column = result.columns[i];
      for (size_t round = 0; round < column.times.seconds.size(); round++)
        fprintf(csv.get(), "%s,%s,%zu,%.6f,%llu,%llu\n", result.name.c_str(), sides[i].name, round,
                column.times.seconds[round], static_cast<unsigned long long>(column.code),
                static_cast<unsigned long long>(column.maps));
    }
  csv.close();
}

} // namespace

int bench_compile(const Arguments &arguments) {
  const Settings settings = parse(arguments);
  const Comparison &comparison = settings.comparison;
  Scratch scratch;
  printf("clang against skeincc %s, median of %d rounds: CPU seconds and KiB of code of clang's, then ratios to them "
         "and KiB of maps\n\n",
         comparison.options.c_str(), comparison.rounds);
  print_heading(comparison);
  std::vector<Result> results;
  for (const std::string &file : settings.files) {
    results.push_back(run(comparison, scratch, file));
    print(comparison, results.back());
  }
  printf("\n");
  bool good = true;
  for (size_t column = 1; column <= comparison.variants.size(); column++)
    good &= summarise(comparison, results, column);
  if (!comparison.csv.empty())
    write_csv(comparison, results);
  return good ? 0 : 1;
}

} // namespace skein::launch
