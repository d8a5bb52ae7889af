// The manifest of a checkpoint: what is needed to start its nodes again, as JSON in the file `manifest.json` of its
// folder. The file is written last, so that a folder without it is no checkpoint.
#ifndef SKEIN_LAUNCH_RUN_MANIFEST_H
#define SKEIN_LAUNCH_RUN_MANIFEST_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace skein::launch {

inline constexpr char manifest_name[] = "manifest.json";
inline constexpr int manifest_format = 2;

/// What became of a number until the cut.
enum class Fate : uint8_t {
  there,        // it has a copy
  left,         // with nothing lost
  dead,         // the others went on without it
  did_not_come, // it was started in the running run, in vain
};

struct NodeRecord {
  int number = 0;
  Fate fate = Fate::there;
  std::string host; // as ssh takes it; empty: that of the launcher
  /// Hosts with its files, if not all share the folder (disks.h).
  std::vector<std::string> kept_on;
};

/// Where the output of the nodes went, and how far it had come at the cut.
struct OutputRecord {
  bool held = false;              // what was held since the checkpoint before is in the folder (held_output.h)
  bool regular = false;           // stdout was a regular file:
  uint64_t device = 0, inode = 0; // this one
  uint64_t position = 0;          // and it had so many bytes, without what was held
};

struct Manifest {
  int number = 0;
  std::string skein; // the version, and that of the packets
  std::string when;  // UTC, as 2026-11-28T11:30:00Z
  uint64_t bytes = 0, pause_ms = 0, took_ms = 0;
  std::vector<std::string> command; // program and arguments
  std::string build_id;             // of the program, in hexadecimal digits; empty: it has none
  std::string folder;               // in which the run was started
  std::string options;              // SKEIN_OPTIONS
  int numbers = 0, founders = 0;
  uint64_t seed = 0;
  std::vector<NodeRecord> nodes; // by their numbers, those that are taken
  bool several_hosts = false;
  std::string transport;  // which the copies go on with
  bool own_disks = false; // each host has a folder of its own
  std::string processor;  // the instructions that all hosts have
  std::string kernel;     // the release of this host's
  OutputRecord output;

  // What `skein run` was told that goes for a restart, too.
  int every_s = 0, keep = 0, patience_s = 0, recoveries = 0;
  bool prefix = false, bind = false, mixed = false, same_image = false;
  std::string network;
  std::vector<std::string> ssh;
  std::vector<std::pair<std::string, std::string>> environment; // for nodes on other hosts

  std::string to_json() const;
  /// Throws a std::string.
  static Manifest from_json(const std::string &text);

  std::vector<int> nodes_there() const;
  /// The same for manifests of one checkpoint, and different for those of two.
  std::string identity() const;
};

/// In words, why the checkpoint cannot be restored by this Skein on this host; empty: nothing is known against it.
std::string why_not_here(const Manifest &manifest);

/// The build-id of a program as execvp would find it, in hexadecimal digits; empty: it has none.
std::string build_id_of(const std::string &program);

/// The whole path of a program as execvp would find it; its name, if there is none.
std::string program_path(const std::string &program);

/// The release of the running kernel.
std::string kernel_release();

} // namespace skein::launch

#endif
