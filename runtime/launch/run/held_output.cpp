// See held_output.h.
#include "launch/run/held_output.h"

#include "launch/run/checkpoint_folder.h"
#include "launch/run/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr size_t part_bytes = 64 << 10;

bool read_all(int file, void *to, size_t bytes, uint64_t from) {
  for (auto *at = static_cast<char *>(to); bytes > 0;) {
    const ssize_t count = pread(file, at, bytes, static_cast<off_t>(from));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    at += count;
    from += static_cast<uint64_t>(count);
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

/// Copies bytes of one file to the place where the other one is. False: errno says why not.
bool copy(int from, uint64_t at, uint64_t end, int to) {
  std::string part;
  for (; at < end; at += part.size()) {
    part.resize(std::min<uint64_t>(part_bytes, end - at));
    if (!read_all(from, part.data(), part.size(), at) || !write_all(to, part.data(), part.size()))
      return false;
  }
  return true;
}

int nameless_file(const std::string &folder) {
  int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) { // not every file system has them
    std::string name = folder + "/held-XXXXXX";
    file = mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0)
      unlink(name.c_str());
  }
  return file;
}

} // namespace

HeldOutput::HeldOutput(const std::string &folder) : file_(nameless_file(folder)) {
  if (file_ < 0)
    throw "cannot make a file for the output in " + folder + ": " + strerror(errno);
}

HeldOutput::~HeldOutput() { close(file_); }

bool HeldOutput::hold(const char *text, size_t bytes) {
  if (!write_all(file_, text, bytes))
    throw std::string("the nodes' output cannot be held back until the next checkpoint: ") + strerror(errno);
  end_ += bytes;
  return !nobody_reads_;
}

void HeldOutput::save(const std::string &path) const {
  const int to = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const bool done = to >= 0 && copy(file_, 0, mark_, to);
  const int why = errno;
  if (to >= 0)
    close(to);
  if (!done)
    throw "cannot write " + path + ": " + strerror(why);
}

void HeldOutput::give_out() {
  nobody_reads_ |= !copy(file_, 0, mark_, STDOUT_FILENO);
  // What has come since moves to the front.
  std::string rest(end_ - mark_, '\0');
  if (!rest.empty() && !read_all(file_, rest.data(), rest.size(), mark_))
    throw std::string("the nodes' output was held back, and cannot be read again: ") + strerror(errno);
  drop();
  if (!write_all(file_, rest.data(), rest.size()))
    throw std::string("the nodes' output cannot be held back until the next checkpoint: ") + strerror(errno);
  end_ = rest.size();
}

void HeldOutput::drop() {
  mark_ = end_ = 0;
  if (ftruncate(file_, 0) != 0 || lseek(file_, 0, SEEK_SET) != 0)
    throw std::string("the file of the nodes' output: ") + strerror(errno);
}

OutputRecord output_now() {
  OutputRecord record;
  struct stat about;
  if (fstat(STDOUT_FILENO, &about) != 0 || !S_ISREG(about.st_mode))
    return record;
  record.regular = true;
  record.device = about.st_dev;
  record.inode = about.st_ino;
  const off_t position = fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND ? about.st_size : lseek(STDOUT_FILENO, 0, SEEK_CUR);
  record.position = static_cast<uint64_t>(std::max<off_t>(position, 0));
  return record;
}

void resume_output(const OutputRecord &record, const std::string &folder) {
  const OutputRecord now = output_now();
  struct stat about;
  const bool same = record.regular && now.regular && now.device == record.device && now.inode == record.inode &&
                    fstat(STDOUT_FILENO, &about) == 0;
  if (same && static_cast<uint64_t>(about.st_size) < record.position)
    fprintf(stderr,
            "skein restart: the output has %llu bytes, and had %llu at the checkpoint: what is missing is not written "
            "again\n",
            static_cast<unsigned long long>(about.st_size), static_cast<unsigned long long>(record.position));
  else if (same && (ftruncate(STDOUT_FILENO, static_cast<off_t>(record.position)) != 0 ||
                    lseek(STDOUT_FILENO, static_cast<off_t>(record.position), SEEK_SET) < 0))
    throw std::string("cannot cut the output where the checkpoint's was: ") + strerror(errno);
  if (!record.held)
    return;
  const std::string path = folder + "/" + output_name;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &about) != 0)
    throw "cannot read " + path + ": " + strerror(errno);
  copy(file, 0, static_cast<uint64_t>(about.st_size), STDOUT_FILENO);
  close(file);
}

} // namespace skein::launch
