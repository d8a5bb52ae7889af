// The folder of checkpoints on the disk of one host, as the launcher uses it. If all hosts share the folder, the
// launcher does everything itself. Otherwise each host has a folder of its own under the same path, for the files of
// its nodes and for those of a neighbour (disks.h), and its agent does what the launcher asks for, one request after
// the other.
//
// Files have names relative to the folder: 8.part/node-1. One that comes from elsewhere gets its name when it is whole
// and on the disk.
#ifndef SKEIN_LAUNCH_RUN_DISK_H
#define SKEIN_LAUNCH_RUN_DISK_H

#include "launch/run/checkpoint_folder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skein::launch {

struct DiskRequest {
  enum class What : uint32_t {
    open,      // the folder `name`, for the program `names[0]`, unless it is the one with the mark `data`. Complete
               // checkpoints that the launcher does not have (`names`, from the second on) are put aside
    begin,     // makes the folder of checkpoint `number`
    holds,     // which nodes of checkpoint `number`, with this manifest (`data`), could be made of what is here
    needs,     // which files node-K, called `name`, needs, itself included, each with its beginning; how large it is
    lacks,     // which of these files are not here: there may be one of an earlier run
    read,      // bytes of a file from `offset` on
    write,     // writes them; `last`: the file is whole
    complete,  // makes checkpoint `number` complete, with this manifest (`data`)
    take_back, // removes checkpoint `number`, complete or not
    prune,     // removes all but the last `number`
  };
  What what{};
  int32_t number = 0;
  uint64_t offset = 0;
  bool last = false;
  std::string name, data;
  std::vector<std::string> names;

  std::string packed() const;
  /// False: it is none.
  bool unpack(const std::string &bytes);
};

struct DiskAnswer {
  std::string failed;  // why, in words; empty: it was done
  bool shared = false; // to `open`: it is the same folder
  int32_t aside = 0;   // to `open`: how many were put aside
  uint64_t size = 0;   // of the file; to `open`: the highest number that was ever used
  std::string data;
  std::vector<std::string> names;

  std::string packed() const;
  bool unpack(const std::string &bytes);
};

class Disk {
public:
  static constexpr size_t read_bytes = 512 << 10; // in one answer, at most

  /// An agent's: the folder is not known yet.
  Disk() = default;
  /// The launcher's.
  explicit Disk(CheckpointFolder &folder) : folder_(&folder) {}

  DiskAnswer perform(const DiskRequest &request);

private:
  void open(const DiskRequest &request, DiskAnswer &answer);
  void hold(const DiskRequest &request, DiskAnswer &answer) const;
  std::vector<std::string> needed_by(const std::string &name) const;
  void read(const DiskRequest &request, DiskAnswer &answer) const;
  void write(const DiskRequest &request) const;
  std::string path_of(const std::string &name) const;

  CheckpointFolder *folder_ = nullptr;
  std::unique_ptr<CheckpointFolder> opened_;
};

} // namespace skein::launch

#endif
