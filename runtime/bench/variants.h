// What the benchmarks that compare skeincc with clang share: variants of skeincc, the programs, and how they are
// compiled and summed up.
#ifndef SKEIN_BENCH_VARIANTS_H
#define SKEIN_BENCH_VARIANTS_H

#include "bench/bench.h"

#include <string>
#include <vector>

namespace skein::launch {

/// A set of skeincc's options that is measured by itself.
struct Variant {
  const char *name, *options, *title;
};

/// The compiler that all variants are compared with.
extern const Variant clang_itself;

/// Those of a list, "plain,polls". Throws a std::string about one that does not exist, as do all functions here.
std::vector<Variant> variants_of(const std::string &list, const char *benchmark);

/// Appends the parts of a text.
void split(const std::string &text, char separator, std::vector<std::string> &to);

/// The value of an option.
double number(const std::string &text, const char *option, double least);

/// Names, without .c and in order, of the programs of a directory whose name contains `filter`.
std::vector<std::string> programs_in(const std::string &directory, const std::string &filter);

/// The value a share `part` of the way through them, in order.
double quantile(std::vector<double> values, double part);

/// Whether a variant's figure is at most `limit`, where 0 is none. Says so if it is not.
bool is_within(const char *title, const char *figure, double value, double limit);

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

} // namespace skein::launch

#endif
