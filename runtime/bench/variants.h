// What the benchmarks that compare skeincc with clang share: variants of skeincc, the programs, and how they are
// compiled and summed up.
#ifndef SKEIN_BENCH_VARIANTS_H
#define SKEIN_BENCH_VARIANTS_H

#include "bench/bench.h"

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace skein::launch {

/// A set of skeincc's options that is measured by itself.
struct Variant {
  const char *name, *options, *title;
};

/// The compiler that all variants are compared with.
extern const Variant clang_itself;

/// Appends the parts of a text.
void split(const std::string &text, char separator, std::vector<std::string> &to);

/// Names, without .c and in order, of the programs of a directory whose name contains `filter`.
std::vector<std::string> programs_in(const std::string &directory, const std::string &filter);

/// The value a share `part` of the way through them, in order.
double quantile(std::vector<double> values, double part);

/// A directory for what is compiled that is gone when the benchmark ends.
struct Scratch {
  std::string path;
  std::vector<std::string> files;
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
};

/// The compiler of a variant, with the options of both compilers and of the variant.
std::vector<std::string> compiler_of(const Variant &variant, const std::string &clang, const std::string &options);

/// What a benchmark that compares variants with clang is told on its command line. Functions here throw a std::string
/// about what is wrong.
struct Comparison {
  int rounds = 5;
  std::string filter, options = "-O2", clang, csv, list;
  std::vector<Variant> variants;
  bool markdown = false;
  double fail_mean = 0, fail_worst = 0; // 0: no limit

  /// Whether arguments[i] is an option of all comparisons. `i` is left at its value.
  bool take(const Arguments &arguments, size_t &i);
  /// Looks up the variants of `list`, when all options are known.
  void find_variants(const char *benchmark);
  /// clang, then the variants.
  std::vector<Variant> sides() const;
};

/// One side of one program, by round.
struct Samples {
  std::vector<double> seconds, ratios; // to clang's in the same round
};

/// Calls `seconds` for each of `sides` in each round, each round beginning with another one.
std::vector<Samples> measure_in_turn(int rounds, size_t sides, const std::function<double(size_t side)> &seconds);

/// A figure of each program, or file.
struct Figure {
  std::vector<double> values;
  double mean() const; // geometric
  size_t worst() const;
};

/// Whether a variant's mean and worst are within the limits. Says which is not.
bool is_within(const Comparison &comparison, const char *title, const Figure &figure);

/// The file of --csv, written whole or an error.
class CsvFile {
public:
  explicit CsvFile(const std::string &path);
  ~CsvFile();
  CsvFile(const CsvFile &) = delete;
  FILE *get() { return file; }
  void close();

private:
  std::string path;
  FILE *file;
};

} // namespace skein::launch

#endif
