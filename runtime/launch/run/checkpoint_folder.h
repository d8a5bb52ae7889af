// The folder of a run's checkpoints:
//
//      DIR/lock                 locked by the `skein run` that writes here; it holds a mark of that
//      DIR/7/manifest.json      what is needed to start the nodes again (manifest.h)
//      DIR/7/node-0 …           their copies
//      DIR/7/output             what they had written, and nobody had got yet (held_output.h)
//      DIR/8.part               is being written, or was when its run ended
//      DIR/6.aside              the run has gone on from an earlier one instead (`skein restart --number`)
//
// Promises
//  * A folder with a number for its name and a manifest in it is a complete checkpoint, on the disk with all that it
//    needs: it gets its name when everything in it is, and loses its manifest before anything else in it is removed. So
//    whatever ends the run, the kernel or the host included, the checkpoint before is there until the next one is.
//  * Copies of nodes refer to files of earlier checkpoints, for what has not changed since (checkpoint/store.h). A file
//    stays as long as a checkpoint that is kept refers to it; then a folder without a manifest is left of its own.
//  * One run writes into a folder at a time.
#ifndef SKEIN_LAUNCH_RUN_CHECKPOINT_FOLDER_H
#define SKEIN_LAUNCH_RUN_CHECKPOINT_FOLDER_H

#include "launch/run/manifest.h"

#include <set>
#include <string>
#include <vector>

namespace skein::launch {

inline constexpr char output_name[] = "output";
inline constexpr char lock_name[] = "lock";

class CheckpointFolder {
public:
  /// Makes the folder if it is not there, locks it, and removes what runs that have ended have left unfinished. Throws
  /// a std::string.
  explicit CheckpointFolder(const std::string &path);
  CheckpointFolder(const CheckpointFolder &) = delete;
  ~CheckpointFolder();

  const std::string &path() const { return path_; }
  /// What is in the lock, and in no other: by that a host finds out whether this is the folder that it sees.
  const std::string &mark() const { return mark_; }
  /// The highest number that was ever used here, as far as is known; 0: none.
  int last_number() const { return last_number_; }
  /// Throws a std::string if there are checkpoints of another program.
  void expect_program(const std::string &program) const;

  /// Makes the folder for a new checkpoint, and returns its path. Throws a std::string.
  std::string begin(int number);
  std::string part(int number) const { return complete(number) + ".part"; }
  std::string complete(int number) const { return path_ + "/" + std::to_string(number); }
  /// The bytes of the files in the folder of a checkpoint that is being written, as far as they can be seen from here.
  uint64_t bytes(int number) const;
  /// Makes a checkpoint complete, all of whose other files are written, with this manifest. Throws a std::string.
  void complete(int number, const std::string &manifest);
  /// The run goes on from this one: those that are complete and have higher numbers are of a course that it does not
  /// take any more, and get names that are no numbers (7.aside). Returns how many they are. Throws a std::string.
  int put_aside_after(int number) const;
  /// The same with those that are not among these (Manifest::identity). Throws a std::string.
  int put_aside_but(const std::vector<std::string> &identities) const;
  /// Removes one that is not complete.
  void drop(int number) const;
  /// Removes one that may be complete here, and is not elsewhere.
  void take_back(int number) const;
  /// Removes all but the last `keep`, and the files to which these refer, if it can be found out which those are.
  /// Throws a std::string if it cannot; then nothing is removed.
  void prune(int keep) const;

private:
  int put_aside(const std::vector<int> &numbers) const;

  std::string path_, mark_;
  int lock_ = -1;
  int last_number_ = 0;
};

/// Adds the files, other than its own, that a node's copy needs. Throws a std::string.
void add_needed(const std::string &copy, std::set<std::string> &files);

/// The numbers of the complete checkpoints in a folder, in their order.
std::vector<int> checkpoints_in(const std::string &path);
/// Throws a std::string.
Manifest read_manifest(const std::string &path, int number);
/// Manifest::identity of one in a folder; empty: its manifest cannot be read.
std::string identity_in(const std::string &path, int number);

} // namespace skein::launch

#endif
