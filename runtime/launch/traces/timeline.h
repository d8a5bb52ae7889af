// A recording as a timeline: tracks with intervals, instants, counters and arrows, for the formats that viewers open.
//
//     node 0 (a process)        worker 0    |fib 7|  |main|      |fib 9|
//                               worker 1       |fib 8     |
//                               counters    threads, ready, …, those of the program
//     thread 7 fib              |runs on 0.0|ready|moves to node 1 ~~> |runs on 1.0|
//                               what the program, channels and locks say about it
#ifndef SKEIN_LAUNCH_TRACES_TIMELINE_H
#define SKEIN_LAUNCH_TRACES_TIMELINE_H

#include "launch/traces/recording.h"

#include <cstdio>

namespace skein::traces {

struct Track {
  enum class Kind : uint8_t { node, worker, thread, part, counter } kind;
  uint64_t id, parent; // parent 0: none
  int node;            // 0 for threads, which are on any
  uint32_t process;
  std::string name;
};

struct Flow {
  uint64_t id = 0; // 0: none
  bool ends = false;
};

/// What a format has to do. A track is declared before anything happens on it; intervals of a track nest.
class TimelineWriter {
public:
  virtual ~TimelineWriter() = default;
  virtual void declare(const Track &track) = 0;
  /// `details` may be empty.
  virtual void begin(uint64_t track, int64_t ns, const std::string &name, const char *category,
                     const std::string &details, Flow flow = {}) = 0;
  virtual void end(uint64_t track, int64_t ns) = 0;
  virtual void instant(uint64_t track, int64_t ns, const std::string &name, const char *category,
                       const std::string &details, Flow flow = {}) = 0;
  virtual void counter(uint64_t track, int64_t ns, int64_t value) = 0;
  /// Called for each event before what it makes of the timeline.
  virtual void event(const Event &) {}
  virtual void finish() = 0;
};

/// Reads the recording to its end.
void write_timeline(Recording &recording, TimelineWriter &writer);

/// A file that is written through a buffer, and appears under its name when it is complete.
class NewFile {
public:
  /// Throws a std::string.
  explicit NewFile(const std::string &path);
  NewFile(const NewFile &) = delete;
  ~NewFile();
  void write(std::string_view text);
  /// Throws a std::string, also for what went wrong before.
  void finish();

private:
  std::string path_, unfinished_;
  FILE *file_;
};

} // namespace skein::traces

#endif
