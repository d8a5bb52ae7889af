// What is done on one host's disk; see disk.h.
#include "launch/run/disk.h"

#include "launch/run/file_of_node.h"
#include "launch/run/output.h"
#include "launch/run/stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace skein::launch {

namespace {

namespace fs = std::filesystem;
using What = DiskRequest::What;

constexpr int lock_tries = 120;       // 12 s: the agent of the last start may still be there, if it was cut off, and
constexpr int lock_pause_us = 100000; // ends sooner than that (agent.h)
constexpr char coming_prefix[] = "coming-"; // before the name of a file that is not whole

void put(FrameWriter &writer, const std::vector<std::string> &names) {
  writer << static_cast<uint32_t>(names.size());
  for (const std::string &name : names)
    writer << name;
}

void take(FrameReader &reader, std::vector<std::string> &names) {
  uint32_t count;
  reader >> count;
  names.clear();
  while (count-- > 0 && reader.sound())
    reader >> names.emplace_back();
}

/// Of a node's file that is all that makes it this one: its header has a random number (docs/wire-format.md, part 8).
std::string beginning_of(const std::string &path) {
  std::string text(256, '\0');
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t count = file < 0 ? -1 : read(file, text.data(), text.size());
  if (file >= 0)
    close(file);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

} // namespace

std::string DiskRequest::packed() const {
  FrameWriter writer;
  writer << what << number << offset << last << name << data;
  put(writer, names);
  return writer.bytes();
}

bool DiskRequest::unpack(const std::string &bytes) {
  FrameReader reader(bytes);
  reader >> what >> number >> offset >> last >> name >> data;
  take(reader, names);
  return reader.sound();
}

std::string DiskAnswer::packed() const {
  FrameWriter writer;
  writer << shared << aside << size << failed << data;
  put(writer, names);
  return writer.bytes();
}

bool DiskAnswer::unpack(const std::string &bytes) {
  FrameReader reader(bytes);
  reader >> shared >> aside >> size >> failed >> data;
  take(reader, names);
  return reader.sound();
}

DiskAnswer Disk::perform(const DiskRequest &request) {
  DiskAnswer answer;
  try {
    if (request.what == What::open) {
      open(request, answer);
      return answer;
    }
    if (!folder_)
      throw std::string("no folder of checkpoints is open there");
    switch (request.what) {
    case What::open:
      break;
    case What::begin:
      folder_->begin(request.number);
      break;
    case What::holds:
      hold(request, answer);
      break;
    case What::needs:
      for (const std::string &name : needed_by(request.name)) {
        answer.names.push_back(name);
        answer.names.push_back(beginning_of(path_of(name)));
      }
      answer.size = fs::file_size(path_of(request.name));
      break;
    case What::lacks:
      for (size_t i = 0; i + 1 < request.names.size(); i += 2)
        if (beginning_of(path_of(request.names[i])) != request.names[i + 1])
          answer.names.push_back(request.names[i]);
      break;
    case What::read:
      read(request, answer);
      break;
    case What::write:
      write(request);
      break;
    case What::complete:
      folder_->complete(request.number, request.data);
      break;
    case What::take_back:
      folder_->take_back(request.number);
      break;
    case What::prune:
      folder_->prune(request.number);
      break;
    }
  } catch (const std::string &why) {
    answer.failed = why;
  } catch (const fs::filesystem_error &why) {
    answer.failed = why.what();
  }
  return answer;
}

void Disk::open(const DiskRequest &request, DiskAnswer &answer) {
  if (beginning_of(request.name + "/" + lock_name) == request.data) {
    answer.shared = true;
    return;
  }
  for (int tries = 1; !opened_; tries++)
    try {
      opened_ = std::make_unique<CheckpointFolder>(request.name);
    } catch (const std::string &) {
      if (tries == lock_tries || access((request.name + "/" + lock_name).c_str(), F_OK) != 0)
        throw;
      usleep(lock_pause_us);
    }
  folder_ = opened_.get();
  if (request.names.empty())
    throw std::string("nobody says whose checkpoints these are to be");
  folder_->expect_program(request.names[0]);
  answer.aside = folder_->put_aside_but({request.names.begin() + 1, request.names.end()});
  answer.size = static_cast<uint64_t>(folder_->last_number());
}

void Disk::hold(const DiskRequest &request, DiskAnswer &answer) const {
  const Manifest wanted = Manifest::from_json(request.data);
  if (identity_in(folder_->path(), request.number) != wanted.identity())
    return;
  for (const int node : wanted.nodes_there()) {
    const std::string name = file_of_node(std::to_string(request.number), node);
    if (access(path_of(name).c_str(), F_OK) != 0)
      continue;
    const std::vector<std::string> needed = needed_by(name);
    if (std::all_of(needed.begin(), needed.end(),
                    [&](const std::string &file) { return access(path_of(file).c_str(), F_OK) == 0; }))
      answer.names.push_back(name);
  }
}

std::vector<std::string> Disk::needed_by(const std::string &name) const {
  std::set<std::string> needed;
  add_needed(path_of(name), needed);
  std::vector<std::string> names = {name};
  for (const std::string &file : needed)
    names.push_back(fs::path(file).lexically_relative(folder_->path()).string());
  return names;
}

void Disk::read(const DiskRequest &request, DiskAnswer &answer) const {
  const std::string path = path_of(request.name);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about = {};
  answer.data.resize(read_bytes);
  const ssize_t count = file >= 0 && fstat(file, &about) == 0
                            ? pread(file, answer.data.data(), read_bytes, static_cast<off_t>(request.offset))
                            : -1;
  const int why = errno;
  if (file >= 0)
    close(file);
  answer.size = static_cast<uint64_t>(about.st_size);
  answer.data.resize(count > 0 ? static_cast<size_t>(count) : 0);
  if (count < 0 || (count == 0 && request.offset < answer.size))
    throw "cannot read " + path + ": " + strerror(count < 0 ? why : EIO);
}

void Disk::write(const DiskRequest &request) const {
  const fs::path path = path_of(request.name);
  const fs::path coming = path.parent_path() / (coming_prefix + path.filename().string());
  if (const fs::path folder = fs::path(request.name).parent_path();
      !folder.has_parent_path() && !folder.has_extension())
    mkdir(path.parent_path().c_str(), S_IRWXU); // of an earlier checkpoint that was removed here, or never was here
  const int file =
      ::open(coming.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (request.offset == 0 ? O_TRUNC : 0), S_IRUSR | S_IWUSR);
  bool done = file >= 0 && lseek(file, static_cast<off_t>(request.offset), SEEK_SET) >= 0 &&
              write_all(file, request.data.data(), request.data.size());
  if (done && request.last)
    done = fsync(file) == 0 && rename(coming.c_str(), path.c_str()) == 0;
  else if (done) // piece by piece, since nothing is heard of an agent that waits for the disk
    sync_file_range(file, static_cast<off_t>(request.offset), static_cast<off_t>(request.data.size()),
                    SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  const int why = errno;
  if (file >= 0)
    close(file);
  if (!done)
    throw "cannot write " + path.string() + ": " + strerror(why);
}

/// Throws a std::string if there can be no such file in the folder.
std::string Disk::path_of(const std::string &name) const {
  if (name.empty() || name[0] == '/' || name.find("..") != std::string::npos)
    throw "'" + name + "' is no file of a checkpoint";
  return folder_->path() + "/" + name;
}

} // namespace skein::launch
