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

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

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
  int rounds = 5;
  std::string filter, options = "-O2", clang, csv;
  std::vector<Variant> variants;
  std::vector<std::string> files;
  bool markdown = false;
  double fail_mean = 0, fail_worst = 0;
};

/// One variant of one file. Sizes are bytes.
struct Column {
  std::vector<double> seconds, ratios; // by round
  uint64_t code = 0, maps = 0;
};

struct Result {
  std::string name;
  std::vector<Column> columns; // clang's, then one a variant
};

Settings parse(const Arguments &arguments) {
  Settings settings;
  std::string value, variants = "plain,stress-all";
  for (size_t i = 0; i < arguments.size(); i++) {
    if (option_value(arguments, i, "--rounds", value))
      settings.rounds = static_cast<int>(number(value, "--rounds", 1));
    else if (arguments[i] == "--markdown")
      settings.markdown = true;
    else if (option_value(arguments, i, "--filter", settings.filter) ||
             option_value(arguments, i, "--variants", variants) ||
             option_value(arguments, i, "--options", settings.options) ||
             option_value(arguments, i, "--clang", settings.clang) || option_value(arguments, i, "--csv", settings.csv))
      continue;
    else if (option_value(arguments, i, "--fail-mean", value))
      settings.fail_mean = number(value, "--fail-mean", 0);
    else if (option_value(arguments, i, "--fail-worst", value))
      settings.fail_worst = number(value, "--fail-worst", 0);
    else if (arguments[i][0] == '-')
      throw "bench compile: what is '" + arguments[i] + "'? `skein bench compile --help` lists the options";
    else
      settings.files.push_back(arguments[i]);
  }
  settings.variants = variants_of(variants, "compile");
  for (const Variant &variant : settings.variants)
    if (strstr(variant.name, "lto"))
      throw "--variants: what " + std::string(variant.name) + " compiles is code only when it is linked";
  if (settings.files.empty()) {
    const std::string directory = share_directory("bench/overhead");
    for (const std::string &name : programs_in(directory, settings.filter))
      settings.files.push_back(directory + "/" + name + ".c");
  }
  return settings;
}

bool is_cxx(const std::string &file) { return file.size() < 2 || file.compare(file.size() - 2, 2, ".c") != 0; }

void compile(const Settings &settings, Scratch &scratch, const std::string &file, const Variant &variant,
             Column &column) {
  const std::string object = scratch.path + "/object.o";
  std::string clang = settings.clang.empty() ? is_cxx(file) ? "clang++-22" : "clang-22" : settings.clang;
  std::vector<std::string> argv = compiler_of(variant, clang, settings.options);
  if (is_cxx(file) && argv[0] != clang)
    argv[0] = program_directory() + "/skein++";
  argv.insert(argv.end(), {"-w", "-c", file, "-o", object});
  scratch.files = {object};
  Execution execution = execute(argv);
  if (execution.status != 0)
    throw argv[0] + " could not compile " + file;
  column.seconds.push_back(execution.cpu_seconds);
  ElfFile made(object);
  column.code = made.bytes_in("", true);
  column.maps = made.bytes_in(SKEIN_MAPS_SECTION, false);
}

Result run(const Settings &settings, Scratch &scratch, const std::string &file) {
  std::vector<Variant> sides = settings.variants;
  sides.insert(sides.begin(), clang_itself);
  Result result{file.substr(file.rfind('/') + 1), std::vector<Column>(sides.size())};
  for (int round = 0; round < settings.rounds; round++) {
    for (size_t i = 0; i < sides.size(); i++) {
      size_t which = (i + static_cast<size_t>(round)) % sides.size();
      compile(settings, scratch, file, sides[which], result.columns[which]);
    }
    for (Column &column : result.columns)
      column.ratios.push_back(column.seconds.back() / result.columns[0].seconds.back());
  }
  return result;
}

void print_heading(const Settings &settings) {
  printf(settings.markdown ? "| file | clang, s | code, KiB |" : "%-24s %8s %9s", "file", "clang", "code");
  for (const Variant &variant : settings.variants)
    printf(settings.markdown ? " %s: time | | code | maps, KiB |" : "   %-37s", variant.title);
  printf("\n");
  if (!settings.markdown)
    return;
  printf("|---|---|---|");
  for (size_t i = 0; i < settings.variants.size(); i++)
    printf("---|---|---|---|");
  printf("\n");
}

double kib(uint64_t bytes) { return static_cast<double>(bytes) / 1024; }

double code_ratio(const Result &result, size_t column) {
  return static_cast<double>(result.columns[column].code) / static_cast<double>(result.columns[0].code);
}

void print(const Settings &settings, const Result &result) {
  printf(settings.markdown ? "| %s | %.3f | %.1f |" : "%-24s %8.3f %9.1f", result.name.c_str(),
         median(result.columns[0].seconds), kib(result.columns[0].code));
  for (size_t i = 1; i < result.columns.size(); i++) {
    const Column &column = result.columns[i];
    printf(settings.markdown ? " %.3f | (%.3f-%.3f) | %.3f | %.1f |" : "  %7.3f (%.3f-%.3f) %7.3f %9.1f",
           median(column.ratios), quantile(column.ratios, 0.25), quantile(column.ratios, 0.75), code_ratio(result, i),
           kib(column.maps));
  }
  printf("\n");
  fflush(stdout);
}

/// Of one variant. False: above a limit.
bool summarise(const Settings &settings, const std::vector<Result> &results, size_t column) {
  double times = 0, codes = 0, most = 0;
  const Result *worst = nullptr;
  for (const Result &result : results) {
    double ratio = median(result.columns[column].ratios);
    times += std::log(ratio);
    codes += std::log(code_ratio(result, column));
    if (!worst || ratio > most)
      worst = &result, most = ratio;
  }
  auto count = static_cast<double>(results.size());
  double mean = std::exp(times / count);
  const char *title = settings.variants[column - 1].title;
  printf("%s: %zu files, geometric mean of the times %.3f, of the code %.3f, worst time %.3f (%s)\n", title,
         results.size(), mean, std::exp(codes / count), most, worst->name.c_str());
  bool good = is_within(title, "mean", mean, settings.fail_mean);
  return is_within(title, "worst", most, settings.fail_worst) && good;
}

void write_csv(const Settings &settings, const std::vector<Result> &results) {
  FILE *file = fopen(settings.csv.c_str(), "w");
  if (!file)
    throw "cannot write " + settings.csv + ": " + strerror(errno);
  fprintf(file, "file,variant,round,seconds,code,maps\n");
  for (const Result &result : results)
    for (size_t i = 0; i < result.columns.size(); i++)
      for (size_t round = 0; round < result.columns[i].seconds.size(); round++)
        fprintf(file, "%s,%s,%zu,%.6f,%llu,%llu\n", result.name.c_str(),
                i ? settings.variants[i - 1].name : clang_itself.name, round, result.columns[i].seconds[round],
                static_cast<unsigned long long>(result.columns[i].code),
                static_cast<unsigned long long>(result.columns[i].maps));
  if (fclose(file))
    throw "cannot write " + settings.csv + ": " + strerror(errno);
}

} // namespace

int bench_compile(const Arguments &arguments) {
  Settings settings = parse(arguments);
  Scratch scratch;
  printf("clang against skeincc %s, median of %d rounds: CPU seconds and KiB of code of clang's, then ratios to them "
         "and KiB of maps\n\n",
         settings.options.c_str(), settings.rounds);
  print_heading(settings);
  std::vector<Result> results;
  for (const std::string &file : settings.files) {
    results.push_back(run(settings, scratch, file));
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
