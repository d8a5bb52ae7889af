#include "bench/variants.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <unistd.h>

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

std::vector<Variant> variants_of(const std::string &list, const char *benchmark) {
  std::vector<std::string> names;
  split(list, ',', names);
  std::vector<Variant> variants;
  for (const std::string &name : names) {
    const Variant *found = std::find_if(std::begin(variants_known), std::end(variants_known),
                                        [&](const Variant &known) { return known.name == name; });
    if (found == std::end(variants_known))
      throw "--variants: there is no '" + name + "'; `skein bench " + benchmark + " --help` lists them";
    variants.push_back(*found);
  }
  if (variants.empty())
    throw std::string("--variants: none given");
  return variants;
}

double number(const std::string &text, const char *option, double least) {
  char *end;
  double value = strtod(text.c_str(), &end);
  if (end == text.c_str() || *end || !(value >= least))
    throw std::string(option) + ": '" + text + "' is not a number of at least " +
        std::to_string(static_cast<int>(least));
  return value;
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

bool is_within(const char *title, const char *figure, double value, double limit) {
  if (limit <= 0 || value <= limit)
    return true;
  printf("%s: the %s is above %.3f\n", title, figure, limit);
  return false;
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
