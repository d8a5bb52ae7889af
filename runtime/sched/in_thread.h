// What a thread's record has of this room.
#ifndef SKEIN_SCHED_IN_THREAD_H
#define SKEIN_SCHED_IN_THREAD_H

#include <atomic>
#include <cstdint>

namespace skein {

struct Thread;

/// The place of a ready thread among others in the order of a bundle (bundles/ordered.cpp).
struct Ordered {
  uint64_t number = 0; // among equals the least is first
  Thread *first_child = nullptr;
};

/// A deadline of a thread that waits, a node of the heap in timers.h.
enum class TimerState : uint8_t { idle, armed, firing };
struct Timer {
  Timer *child = nullptr, *next = nullptr, *previous = nullptr;
  uint64_t deadline_ns = 0;
  std::atomic<TimerState> state{TimerState::idle};
};

} // namespace skein

#endif
