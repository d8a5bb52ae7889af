// Where the files of a run's checkpoints lie, if it has several hosts. Either all share the folder, for example by NFS:
// then nothing is to be done here. Or each host has a folder of its own under the same path, on its own disk:
//
//      host a (the launcher's)      host b                       host c
//      7/manifest.json, output      7/manifest.json, output      7/manifest.json, output
//      7/node-0    of its own       7/node-1    of its own       7/node-2    of its own
//      7/node-2    of c's           7/node-0    of a's           7/node-1    of b's
//
// Which of the two it is is found out at the start: the lock in the launcher's folder has a mark, for which the agents
// look. Some that share it and some that do not are refused.
//
// Promises
//  * A node's file lies on its host, and a copy of it on the next one in the run's order, so that the loss of any one
//    host loses no checkpoint. A checkpoint is complete when all copies are, too. Manifest and output are on all hosts:
//    the run can be restarted from any.
//  * It is complete on the other hosts before it is in the launcher's folder, and only then is an earlier one removed
//    anywhere. So whatever ends the run, the one before is there until the next one is, on each host.
//  * A folder with a number and a manifest has files of that checkpoint only. So a host's checkpoints that the launcher
//    does not have, because they are of another course of the run, or of another run, are put aside when it is opened.
//  * Nodes are started where all their files are: what is missing there is brought from a host that has it. Which have
//    it is asked, and not taken from the manifest: disks are changed while no run looks.
//
// Files go through the launcher, on the connections to the agents that it has: those are authenticated and encrypted
// already, reach every host of the run, and end with it. One piece of a file is under way at a time, of at most
// `most_at_once` files. Rejected: connections between agents (a second way between hosts, with a port, keys, and
// failures of its own, to save the launcher's host one passage of bytes that are compressed and incremental); copies
// that nodes write to two disks (a node cannot reach another host's, and a reborn one would look for its file there).
#ifndef SKEIN_LAUNCH_RUN_DISKS_H
#define SKEIN_LAUNCH_RUN_DISKS_H

#include "launch/run/disk.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skein::launch {

class RemoteHost;

class Disks {
public:
  using Then = std::function<void(const std::string &why)>; // empty: it was done

  /// A node and the host that it is on; null: the launcher's.
  struct Located {
    int node;
    RemoteHost *host;
  };

  /// `elsewhere`: the run's other hosts; `here`: the name of this one. Both outlive this.
  Disks(const std::vector<RemoteHost *> &elsewhere, const std::string &here) : elsewhere_(elsewhere), here_(here) {}
  Disks(const Disks &) = delete;

  /// `program`: whose checkpoints may be in the folders.
  void settle(CheckpointFolder &folder, const std::string &program);
  /// Called when something has been answered.
  std::function<void()> on_progress;
  /// Called with what the user is to know.
  std::function<void(const std::string &)> on_words;

  /// Each host has a folder of its own.
  bool own() const { return form_ == Form::own; }
  bool shared() const { return form_ == Form::shared; }
  /// The highest number that was ever used on any host.
  int last_number() const { return last_number_; }

  /// Finds out which form it is. All of the run's hosts are ready.
  void open(Then then);
  /// The same for one that comes to the running run.
  void open(RemoteHost &host, Then then);
  /// Brings what is missing to where these nodes are to be made of the checkpoint. Other hosts than the launcher's are
  /// asked what they have, if they have folders of their own.
  void gather(const Manifest &manifest, const std::vector<Located> &nodes, Then then);

  // For a new checkpoint. Without folders of their own nothing is done on other hosts.
  void begin(int number);
  /// Hosts have folders of their own: makes the copies for the neighbours, of what the nodes have written, and of the
  /// output, if there is any.
  void spread(int number, const std::vector<Located> &nodes, bool output, Then then);
  /// After `spread`: on which hosts a node's file is, and how large all are.
  std::vector<std::string> kept_on(int node) const;
  uint64_t bytes() const { return bytes_; }
  /// Makes it complete on the other hosts.
  void complete(const Manifest &manifest, Then then);
  void take_back(int number);
  /// Removes all but the last `keep` there.
  void prune(int keep, Then then);

private:
  enum class Form : uint8_t { one_host, shared, own };
  using Answered = std::function<void(DiskAnswer &answer)>;
  struct File; // that is to be brought

  void ask(RemoteHost *host, const DiskRequest &request, Answered then);
  void ask_all(const DiskRequest &request, const std::function<void(RemoteHost *, DiskAnswer &)> &each, Then then);
  std::string note_form(const RemoteHost &host, const DiskAnswer &answer);
  std::string name_of(const RemoteHost *host) const;
  std::vector<RemoteHost *> all() const;
  void bring_needed(const std::string &name, RemoteHost *from, RemoteHost *to, bool measure, Then then);
  void bring(const std::string &name, RemoteHost *from, RemoteHost *to, Then then);
  void proceed();
  void pass_on(const std::shared_ptr<File> &file);
  void done(const std::shared_ptr<File> &file, const std::string &why);

  static constexpr int most_at_once = 4;

  const std::vector<RemoteHost *> &elsewhere_;
  const std::string &here_;
  std::optional<Disk> disk_; // the launcher's own
  CheckpointFolder *folder_ = nullptr;
  std::string program_;
  Form form_ = Form::one_host;
  int last_number_ = 0;
  uint64_t bytes_ = 0;
  std::map<int, std::vector<std::string>> kept_on_; // by node
  std::deque<std::shared_ptr<File>> waiting_;
  int under_way_ = 0;
};

} // namespace skein::launch

#endif
