// See checkpoint_folder.h. Removing is renaming first: a name that ends with .part is of no checkpoint.
#include "launch/run/checkpoint_folder.h"

#include "launch/run/output.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace skein::launch {

namespace {

namespace fs = std::filesystem;

constexpr char unfinished[] = ".part";

/// The number that a name consists of, with nothing else than `.part` behind it; 0: there is none.
int number_of(std::string name, bool &is_unfinished) {
  const size_t end = name.size() - std::min(name.size(), sizeof unfinished - 1);
  is_unfinished = name.compare(end, std::string::npos, unfinished) == 0;
  if (is_unfinished)
    name.resize(end);
  int number = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && stop == name.data() + name.size() && number > 0 && std::to_string(number) == name
             ? number
             : 0;
}

void sync(const std::string &path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  const bool done = file >= 0 && fsync(file) == 0;
  const int why = errno;
  if (file >= 0)
    close(file);
  if (!done)
    throw "cannot bring " + path + " to the disk: " + strerror(why);
}

void sync_folder(const std::string &path) { sync(path, O_RDONLY | O_DIRECTORY); }

void write_file(const std::string &path, const std::string &text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const bool done = file >= 0 && write_all(file, text.data(), text.size());
  const int why = errno;
  if (file >= 0)
    close(file);
  if (!done)
    throw "cannot write " + path + ": " + strerror(why);
}

} // namespace

CheckpointFolder::CheckpointFolder(const std::string &path) {
  std::error_code error;
  path_ = fs::absolute(path, error).lexically_normal().string();
  while (path_.size() > 1 && path_.back() == '/')
    path_.pop_back();
  if (mkdir(path_.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    throw "--checkpoint " + path + ": cannot make the folder: " + strerror(errno);
  const std::string lock = path_ + "/lock";
  lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (lock_ < 0)
    throw "--checkpoint " + path + ": cannot write there: " + strerror(errno);
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(lock_, F_SETLK, &whole) != 0) {
    const int why = errno;
    if (fcntl(lock_, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
      throw "--checkpoint " + path + ": cannot lock " + lock + ": " + strerror(why);
    throw "--checkpoint " + path + ": another run writes its checkpoints there" +
        (whole.l_pid > 0 ? ", that of `skein run` process " + std::to_string(whole.l_pid) : "") +
        ". Each run needs a folder of its own";
  }
  for (const auto &entry : fs::directory_iterator(path_, error)) {
    bool is_unfinished;
    const int number = number_of(entry.path().filename().string(), is_unfinished);
    last_number_ = std::max(last_number_, number);
    if (number != 0 && is_unfinished) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
  }
  if (error)
    throw "--checkpoint " + path + ": cannot read the folder: " + error.message();
}

CheckpointFolder::~CheckpointFolder() { close(lock_); }

void CheckpointFolder::expect_program(const std::string &program) const {
  const std::vector<int> numbers = checkpoints_in(path_);
  if (numbers.empty())
    return;
  const std::string other = read_manifest(path_, numbers.back()).command[0];
  if (other != program)
    throw "--checkpoint " + path_ + ": there are checkpoints of another program, " + other +
        ". Name another folder, or remove them";
}

std::string CheckpointFolder::begin(int number) {
  last_number_ = std::max(last_number_, number);
  const std::string path = part(number);
  if (mkdir(path.c_str(), S_IRWXU) != 0)
    throw "cannot make the folder " + path + ": " + strerror(errno);
  return path;
}

uint64_t CheckpointFolder::bytes(int number) const {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(part(number), error))
    if (const uintmax_t size = entry.file_size(error); !error)
      bytes += size;
  return bytes;
}

void CheckpointFolder::complete(const Manifest &manifest) {
  const std::string from = part(manifest.number), to = complete(manifest.number);
  write_file(from + "/" + manifest_name, manifest.to_json());
  for (const auto &entry : fs::directory_iterator(from))
    sync(entry.path().string(), O_RDONLY);
  sync_folder(from);
  if (rename(from.c_str(), to.c_str()) != 0)
    throw "cannot rename " + from + ": " + strerror(errno);
  sync_folder(path_);
}

void CheckpointFolder::drop(int number) const {
  std::error_code ignored;
  fs::remove_all(part(number), ignored);
}

void CheckpointFolder::prune(int keep) const {
  const std::vector<int> numbers = checkpoints_in(path_);
  for (size_t i = 0; i + static_cast<size_t>(keep) < numbers.size(); i++)
    if (rename(complete(numbers[i]).c_str(), part(numbers[i]).c_str()) == 0)
      drop(numbers[i]);
}

std::vector<int> checkpoints_in(const std::string &path) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(path, error)) {
    bool is_unfinished;
    if (const int number = number_of(entry.path().filename().string(), is_unfinished); number != 0 && !is_unfinished)
      numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Manifest read_manifest(const std::string &path, int number) {
  const std::string name = path + "/" + std::to_string(number) + "/" + manifest_name;
  std::ifstream file(name, std::ios::binary);
  if (!file)
    throw "cannot read " + name + ": " + strerror(errno);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    return Manifest::from_json(text);
  } catch (const std::string &why) {
    throw name + ": " + why;
  }
}

} // namespace skein::launch
