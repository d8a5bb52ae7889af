// What a run has recorded, as `skein trace` reads it: one stream of events of all nodes in the order of time, and what
// their words mean. It comes from a folder with a file for each node (trace/file.h), or from a file that was made of
// one.
#ifndef SKEIN_LAUNCH_TRACES_RECORDING_H
#define SKEIN_LAUNCH_TRACES_RECORDING_H

#include "trace/events.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace skein::traces {

/// One event. The time is in nanoseconds of node 0's CLOCK_MONOTONIC.
struct Event {
  int64_t ns;
  uint64_t thread, a;
  uint32_t b;
  uint16_t c;
  TraceEvent event;
  uint16_t node;
  int16_t worker; // -1: a kernel thread that is no worker's
};

struct NodeInfo {
  int node = 0;
  uint32_t process = 0;
  bool finished = false;     // the node has ended in order, and everything it recorded is here
  bool same_clock = true;    // as node 0's, since both are on one host
  int64_t offset_ns = 0;     // that node 0's clock is ahead of this node's, at the beginning
  double drift = 0;          // how much faster node 0's is
  int64_t error_ns = 0;      // the times of this node are right to so much
  uint64_t lost = 0;         // events for which there was no room in a ring, or no ring
  uint64_t discarded = 0;    // and in the file
  uint64_t unnamed = 0;      // events of the program whose names were too many
  std::string program, host; // the host's boot id
};

/// What a word of an event stands for, as text.
enum class TextKind : uint8_t { function, text, name };
using Texts = std::map<std::tuple<int, TextKind, uint64_t>, std::string>;

class Recording {
public:
  virtual ~Recording() = default;
  /// The next event; false at the end. Throws a std::string if the file is damaged.
  virtual bool next(Event &event) = 0;

  const std::vector<NodeInfo> &nodes() const { return nodes_; }
  const Texts &texts() const { return texts_; }
  const NodeInfo &node(int number) const;
  /// How many nodes the run had; some of them may have no file.
  int nodes_of_run() const { return nodes_of_run_; }
  std::string text(int node, TextKind kind, uint64_t key) const;

protected:
  std::vector<NodeInfo> nodes_;
  Texts texts_;
  int nodes_of_run_ = 0;
};

/// Opens a folder or a file. Throws a std::string that says what is wrong with it.
std::unique_ptr<Recording> open_recording(const std::string &path);

/// "3", or "3 of node 1" for a thread that was born elsewhere than on node 0.
std::string thread_text(uint64_t id);
/// The words of an event, as people read them: "function fib", "to 1, bytes 200". Words that are not there are left
/// out.
std::string words_text(const Recording &recording, const Event &event);
/// One word: 0 is a, 1 is b, 2 is c.
std::string word_text(const Recording &recording, const Event &event, int word);
/// A name of the table without what C++ needs: "case", not "case_".
std::string plain_name(const char *name);

} // namespace skein::traces

#endif
