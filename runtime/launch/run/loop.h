// The loop of the launcher and of its agents: an epoll over descriptors, each with a function that is called when there
// is something to read. One kernel thread; functions may watch and forget descriptors, their own included.
#ifndef SKEIN_LAUNCH_RUN_LOOP_H
#define SKEIN_LAUNCH_RUN_LOOP_H

#include "launch/run/clock_ms.h"

#include <cstdint>
#include <functional>
#include <map>

namespace skein::launch {

class Loop {
public:
  /// Of the descriptors that are ready at the same time, those of earlier kinds come first. Messages come before ends,
  /// since the last messages of a node explain its end.
  enum class Kind : uint8_t { signal, nursery, nursery_end, output, message, end, count };

  /// Throws a std::string.
  Loop();
  Loop(const Loop &) = delete;
  ~Loop();

  /// Throws a std::string, also for a file that cannot be waited for.
  void watch(int descriptor, Kind kind, std::function<void()> function);
  /// Whether its function is to be called, too, when something can be written.
  void watch_for_room(int descriptor, bool wanted);
  /// To be called before the descriptor is closed: if another process has a copy of it (run_folder.h), it would stay in
  /// the epoll, and be reported again and again.
  void forget(int descriptor);

  /// Waits for at most so many milliseconds (-1: for ever), and calls the functions of what is ready.
  void step(int wait_ms);

private:
  struct Watched {
    Kind kind;
    uint32_t serial; // tells a descriptor from an earlier one of the same number
    std::function<void()> function;
  };
  int epoll_;
  uint32_t next_serial_ = 0;
  std::map<int, Watched> watched_;
};

} // namespace skein::launch

#endif
