// What nodes on another host record for `skein run --trace` (trace/recorder.h).
//
// Nodes write to files in the folder that `trace_in` names, which the launcher makes into one trace when they have
// ended. If another host shares that folder, its nodes write there, too. If not, they write to a folder that their
// agent makes, and the agent sends each file when its node has ended, however it did. Which of the two it is, a mark in
// the folder tells.
#ifndef SKEIN_LAUNCH_RUN_FAR_TRACE_H
#define SKEIN_LAUNCH_RUN_FAR_TRACE_H

#include <functional>
#include <string>

namespace skein::launch {

/// Puts a mark into the launcher's folder, and returns it. Throws a std::string.
std::string mark_trace_folder(const std::string &folder);

/// The agent's part.
class FarTrace {
public:
  /// The launcher's folder; empty: nothing is recorded. Makes one of this host's own if that is not shared, which is to
  /// be removed with the files of the run (run_folder.h). Throws a std::string.
  void begin(const std::string &folder, const std::string &mark);
  /// Where the nodes here are to record instead; empty: where the launcher says.
  const std::string &folder() const { return folder_; }
  /// Gives what a node that has ended has recorded to `send`, in pieces of which none is empty, and removes it. Ends
  /// early if that returns false.
  void hand_over(int node, const std::function<bool(const std::string &piece)> &send) const;

private:
  std::string folder_;
};

} // namespace skein::launch

#endif
