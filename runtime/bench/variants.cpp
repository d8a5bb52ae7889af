#include "bench/variants.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <unistd.h>
#include <utility>

namespace skein::launch {

namespace {

constexpr Variant variants_known[] = {
    {"plain", "", "skeincc"},
    {"lto", "-flto", "-flto"},
    {"thinlto", "-flto=thin", "-flto=thin"},
    {"polls", "-fskein-polls=loops", "polls"},
    {"lto-polls", "-flto -fskein-polls=loops", "-flto, polls"},
    {"private", "-fskein-globals=private", "private globals"},
    {"heap", "-fskein-heap=private", "private heap"},
    {"private-all", "-fskein-globals=private -fskein-heap=private", "private globals and heap"},
    {"growable", "-fskein-stacks=growable", "growable stacks"},
    {"stress", "-fskein-stress=calls", "stress"},
    {"stress-all", "-fskein-stress=calls -fskein-globals=private -fskein-heap=private", "stress, all private"},
};

double number(const std::string &text, const char *option, double least) {
  char *end;
  double value = strtod(text.c_str(), &end);
  if (end == text.c_str() || *end || !(value >= least))
    throw std::string(option) + ": '" + text + "' is not a number of at least " +
        std::to_string(static_cast<int>(least));
  return value;
}

bool is_below(const char *title, const char *figure, double value, double limit) {
  if (limit <= 0 || value <= limit)
    return true;
  printf("%s: the %s is above %.3f\n", title, figure, limit);
  return false;
}

std::string cannot_write(const std::string &path) { return "cannot write " + path + ": " + strerror(errno); }

} // namespace

const Variant clang_itself{"clang", "", "clang"};

void split(const std::string &text, char separator, std::vector<std::string> &to) {
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(separator, at);
    if (end == std::string::npos)
      end = text.size();
    if (end > at)
      to.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

bool Comparison::take(const Arguments &arguments, size_t &i) {
  std::string value;
  if (arguments[i] == "--markdown")
    markdown = true;
  else if (option_value(arguments, i, "--rounds", value))
    rounds = static_cast<int>(number(value, "--rounds", 1));
  else if (option_value(arguments, i, "--fail-mean", value))
    fail_mean = number(value, "--fail-mean", 0);
  else if (option_value(arguments, i, "--fail-worst", value))
    fail_worst = number(value, "--fail-worst", 0);
  else
    return option_value(arguments, i, "--filter", filter) || option_value(arguments, i, "--variants", list) ||
           option_value(arguments, i, "--options", options) || option_value(arguments, i, "--clang", clang) ||
           option_value(arguments, i, "--csv", csv);
  return true;
}

void Comparison::find_variants(const char *benchmark) {
  std::vector<std::string> names;
  split(list, ',', names);
  for (const std::string &name : names) {
    const Variant *found = std::find_if(std::begin(variants_known), std::end(variants_known),
                                        [&](const Variant &known) { return known.name == name; });
    if (found == std::end(variants_known))
      throw "--variants: there is no '" + name + "'; `skein bench " + benchmark + " --help` lists them";
    variants.push_back(*found);
  }
  if (variants.empty())
    throw std::string("--variants: none given");
}

std::vector<Variant> Comparison::sides() const {
  std::vector<Variant> all = variants;
  all.insert(all.begin(), clang_itself);
  return all;
}

std::vector<Samples> measure_in_turn(int rounds, size_t sides, const std::function<double(size_t)> &seconds) {
  std::vector<Samples> samples(sides);
  for (int round = 0; round < rounds; round++) {
    for (size_t i = 0; i < sides; i++) {
      size_t side = (i + static_cast<size_t>(round)) % sides;
      samples[side].seconds.push_back(seconds(side));
    }
    for (Samples &of : samples)
      of.ratios.push_back(of.seconds.back() / samples[0].seconds.back());
  }
  return samples;
}

double Figure::mean() const {
  double logarithms = 0;
  for (double value : values)
    logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

size_t Figure::worst() const {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

bool is_within(const Comparison &comparison, const char *title, const Figure &figure) {
  bool good = is_below(title, "mean", figure.mean(), comparison.fail_mean);
  return is_below(title, "worst", figure.values[figure.worst()], comparison.fail_worst) && good;
}

CsvFile::CsvFile(const std::string &path) : path(path), file(fopen(path.c_str(), "w")) {
  if (!file)
    throw cannot_write(path);
}

CsvFile::~CsvFile() {
  if (file)
    fclose(file);
}

void CsvFile::close() {
  if (fclose(std::exchange(file, nullptr)))
    throw cannot_write(path);
}

std::vector<std::string> programs_in(const std::string &directory, const std::string &filter) {
  DIR *open = opendir(directory.c_str());
  if (!open)
    throw "no programs: cannot open " + directory + ": " + strerror(errno);
  std::vector<std::string> names;
  while (const dirent *entry = readdir(open)) {
    std::string file = entry->d_name;
    if (file.size() < 3 || file.compare(file.size() - 2, 2, ".c") != 0)
      continue;
    file.resize(file.size() - 2);
    if (file.find(filter) != std::string::npos)
      names.push_back(file);
  }
  closedir(open);
  if (names.empty())
    throw "no program in " + directory + " has a name with '" + filter + "'";
  std::sort(names.begin(), names.end());
  return names;
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  double at = part * static_cast<double>(values.size() - 1);
  auto below = static_cast<size_t>(at);
  size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

Scratch::Scratch() {
  const char *parent = getenv("TMPDIR");
  path = std::string(parent ? parent : "/tmp") + "/skein-bench-XXXXXX";
  if (!mkdtemp(path.data()))
    throw "cannot create " + path + ": " + strerror(errno);
}

Scratch::~Scratch() {
  for (const std::string &file : files)
    unlink(file.c_str());
  rmdir(path.c_str());
}

std::vector<std::string> compiler_of(const Variant &variant, const std::string &clang, const std::string &options) {
  bool skeincc = variant.name != clang_itself.name;
  std::vector<std::string> argv = {skeincc ? program_directory() + "/skeincc" : clang};
  split(options, ' ', argv);
  split(variant.options, ' ', argv);
  return argv;
}

} // namespace skein::launch
