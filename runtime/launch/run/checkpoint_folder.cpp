// See checkpoint_folder.h.
#include "launch/run/checkpoint_folder.h"

#include "checkpoint/store.h"
#include "launch/command/command.h"
#include "launch/run/output.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein::launch {

namespace {

namespace fs = std::filesystem;

constexpr char unfinished[] = ".part";
constexpr char aside[] = ".aside";
constexpr char copy_prefix[] = "node-";
constexpr char store_magic[8] = {'S', 'K', 'E', 'I',
                                 'N', 'C', 'K', 'P'}; // with which a copy begins (checkpoint/store.h)

/// The number that a name consists of, with nothing else than one of these suffixes behind it; 0: there is none.
int number_of(const std::string &name, std::string &suffix) {
  const size_t end = std::min(name.find('.'), name.size());
  const std::string digits = name.substr(0, end);
  suffix = name.substr(end);
  int number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_one = error == std::errc() && stop == digits.data() + digits.size() && number > 0 &&
                      std::to_string(number) == digits && (suffix.empty() || suffix == unfinished || suffix == aside);
  return is_one ? number : 0;
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

/// 128 random bits.
std::string new_mark() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw std::string("getrandom: ") + strerror(errno);
  std::string text;
  for (const unsigned char byte : bytes) {
    char two[3];
    snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
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

/// The numbers of all folders that have one for their name, in their order.
std::vector<int> folders_in(const std::string &path) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(path, error)) {
    std::string suffix;
    if (const int number = number_of(entry.path().filename().string(), suffix); number != 0 && suffix.empty())
      numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Removes a checkpoint, apart from files that others need.
void remove_but(const std::string &folder, const std::set<std::string> &needed) {
  if (unlink((folder + "/" + manifest_name).c_str()) == 0)
    sync_folder(folder);
  std::error_code ignored;
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (needed.count(entry.path().string()) == 0)
      fs::remove(entry.path(), ignored);
  rmdir(folder.c_str()); // if nothing is left in it
}

/// The library that knows what is in a copy. Throws a std::string.
const skein_checkpoint_store &store() {
  static const skein_checkpoint_store *table;
  if (table)
    return *table;
  const std::string path = checkpoint_library();
  void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto make =
      reinterpret_cast<skein_checkpoint_store_table_fn>(library ? dlsym(library, SKEIN_CHECKPOINT_SYMBOL) : nullptr);
  if (!make)
    throw "cannot load " + path + ": " + dlerror();
  if (make()->version != SKEIN_CHECKPOINT_STORE_VERSION)
    throw path + " is of another version of Skein";
  table = make();
  return *table;
}

} // namespace

CheckpointFolder::CheckpointFolder(const std::string &path) {
  std::error_code error;
  path_ = fs::absolute(path, error).lexically_normal().string();
  while (path_.size() > 1 && path_.back() == '/')
    path_.pop_back();
  if (mkdir(path_.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    throw "--checkpoint " + path + ": cannot make the folder: " + strerror(errno);
  const std::string lock = path_ + "/" + lock_name;
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
  mark_ = new_mark();
  if (ftruncate(lock_, 0) != 0 || !write_all(lock_, mark_.data(), mark_.size()) || fsync(lock_) != 0)
    throw "--checkpoint " + path + ": cannot write there: " + strerror(errno);
  for (const auto &entry : fs::directory_iterator(path_, error)) {
    std::string suffix;
    const int number = number_of(entry.path().filename().string(), suffix);
    last_number_ = std::max(last_number_, number);
    if (number != 0 && suffix == unfinished) {
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

void CheckpointFolder::complete(int number, const std::string &manifest) {
  const std::string from = part(number), to = complete(number);
  write_file(from + "/" + manifest_name, manifest);
  for (const auto &entry : fs::directory_iterator(from))
    sync(entry.path().string(), O_RDONLY);
  sync_folder(from);
  if (rename(from.c_str(), to.c_str()) != 0)
    throw "cannot rename " + from + ": " + strerror(errno);
  sync_folder(path_);
}

int CheckpointFolder::put_aside_after(int number) const {
  std::vector<int> later = checkpoints_in(path_);
  later.erase(std::remove_if(later.begin(), later.end(), [&](int one) { return one <= number; }), later.end());
  return put_aside(later);
}

int CheckpointFolder::put_aside_but(const std::vector<std::string> &identities) const {
  std::vector<int> others;
  for (const int number : checkpoints_in(path_))
    if (std::find(identities.begin(), identities.end(), identity_in(path_, number)) == identities.end())
      others.push_back(number);
  return put_aside(others);
}

int CheckpointFolder::put_aside(const std::vector<int> &numbers) const {
  for (const int number : numbers)
    if (rename(complete(number).c_str(), (complete(number) + aside).c_str()) != 0)
      throw "cannot rename " + complete(number) + ": " + strerror(errno);
  if (!numbers.empty())
    sync_folder(path_);
  return static_cast<int>(numbers.size());
}

void CheckpointFolder::drop(int number) const {
  std::error_code ignored;
  fs::remove_all(part(number), ignored);
}

void CheckpointFolder::take_back(int number) const {
  drop(number);
  remove_but(complete(number), {});
}

void CheckpointFolder::prune(int keep) const {
  const std::vector<int> complete_ones = checkpoints_in(path_);
  const size_t kept = std::min(complete_ones.size(), static_cast<size_t>(keep));
  const int first_kept = kept == 0 ? 0 : complete_ones[complete_ones.size() - kept];
  std::vector<int> others = folders_in(path_);
  others.erase(std::remove_if(others.begin(), others.end(), [&](int number) { return number >= first_kept; }),
               others.end());
  if (others.empty())
    return;
  std::set<std::string> needed;
  for (size_t i = complete_ones.size() - kept; i < complete_ones.size(); i++)
    for (const auto &entry : fs::directory_iterator(complete(complete_ones[i])))
      if (entry.path().filename().string().compare(0, sizeof copy_prefix - 1, copy_prefix) == 0)
        add_needed(entry.path().string(), needed);
  for (const int number : others)
    remove_but(complete(number), needed);
}

/// Of a file that is no copy at all, there is nothing to be found out, nor needed.
void add_needed(const std::string &copy, std::set<std::string> &files) {
  char magic[sizeof store_magic] = {};
  std::ifstream(copy, std::ios::binary).read(magic, sizeof magic);
  if (memcmp(magic, store_magic, sizeof magic) != 0)
    return;
  struct Context {
    fs::path folder;
    std::set<std::string> &files;
  } context{fs::path(copy).parent_path(), files};
  char error[512] = "";
  const auto add = [](void *to, const char *name) {
    auto &found = *static_cast<Context *>(to);
    found.files.insert((found.folder / name).lexically_normal().string());
  };
  if (store().refers(copy.c_str(), add, &context, error, sizeof error) != 0)
    throw std::string(error);
}

std::vector<int> checkpoints_in(const std::string &path) {
  std::vector<int> numbers = folders_in(path);
  numbers.erase(std::remove_if(numbers.begin(), numbers.end(),
                               [&](int number) {
                                 const std::string manifest = path + "/" + std::to_string(number) + "/" + manifest_name;
                                 return access(manifest.c_str(), F_OK) != 0;
                               }),
                numbers.end());
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

std::string identity_in(const std::string &path, int number) {
  try {
    return read_manifest(path, number).identity();
  } catch (const std::string &) {
    return "";
  }
}

} // namespace skein::launch
