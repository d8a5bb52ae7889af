// See far_trace.h.
#include "launch/run/far_trace.h"
#include "launch/run/file_of_node.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

namespace skein::launch {

namespace fs = std::filesystem;

namespace {

constexpr char mark_name[] = "/launcher";

} // namespace

std::string mark_trace_folder(const std::string &folder) {
  std::random_device random;
  const std::string mark = std::to_string(uint64_t{random()} << 32 | random());
  std::ofstream file(folder + mark_name);
  if (!(file << mark << std::flush))
    throw "cannot write to " + folder + ": " + strerror(errno);
  return mark;
}

void FarTrace::begin(const std::string &folder, const std::string &mark) {
  std::string found;
  if (folder.empty() || (std::ifstream(folder + mark_name) >> found && found == mark))
    return;
  char name[] = "/tmp/skein-trace-XXXXXX"; // on a disk as a rule: recordings are long
  if (!mkdtemp(name))
    throw std::string("cannot make a folder for the nodes' recordings: ") + name + ": " + strerror(errno);
  folder_ = name;
}

void FarTrace::hand_over(int node, const std::function<bool(const std::string &piece)> &send) const {
  if (folder_.empty())
    return;
  const std::string path = file_of_node(folder_, node);
  std::ifstream file(path, std::ios::binary);
  std::string piece(256 << 10, 0);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto got = static_cast<size_t>(file.gcount());
    if (got == 0 || !send(piece.substr(0, got)))
      break;
  }
  std::error_code error;
  fs::remove(path, error);
}

} // namespace skein::launch
