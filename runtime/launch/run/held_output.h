// What nodes have written to stdout since the last checkpoint, with deaths=recover: it is held back until a checkpoint
// covers it, or the run ends. When the run goes back to a checkpoint, what was written since is written again by the
// nodes, so it is dropped here. That makes the run's output what it would have been without deaths.
//
//      0            given                  mark                end
//      | given out  | the next checkpoint | written since the |
//      |            | covers it           | cut               |
//
// It lies in a file without a name, in the order in which it was read. When a checkpoint is complete, what it covers
// lies in its folder, too: if the launcher ends before it could give that out, a restart does.
//
// What nodes write to stderr is given out at once, and may come twice: it may say why a node died.
#ifndef SKEIN_LAUNCH_RUN_HELD_OUTPUT_H
#define SKEIN_LAUNCH_RUN_HELD_OUTPUT_H

#include "launch/run/manifest.h"

#include <cstdint>
#include <string>

namespace skein::launch {

class HeldOutput {
public:
  /// The file is made in that folder. Throws a std::string.
  explicit HeldOutput(const std::string &folder);
  HeldOutput(const HeldOutput &) = delete;
  ~HeldOutput();

  /// Holds it. False: nobody reads the output any more. Throws a std::string if it cannot be kept.
  bool hold(const char *text, size_t bytes);
  /// What is held so far is what the next checkpoint covers.
  void mark() { mark_ = end_; }
  /// Writes what the next checkpoint covers into a file. Throws a std::string.
  void save(const std::string &path) const;
  /// Gives out what it covers, and forgets it.
  void give_out();
  /// Forgets all that is held.
  void drop();

private:
  int file_ = -1;
  uint64_t mark_ = 0, end_ = 0;
  bool nobody_reads_ = false;
};

/// Where stdout is, and how far it has come.
OutputRecord output_now();

/// Before nodes are restored: if stdout is the file that the run's was, it is cut where the run had come to. Then gives
/// out what the checkpoint covers, if that is in its folder. Throws a std::string.
void resume_output(const OutputRecord &record, const std::string &folder);

} // namespace skein::launch

#endif
