// The part of a thread's record that belongs to this room.
#ifndef SKEIN_SCHED_IN_THREAD_H
#define SKEIN_SCHED_IN_THREAD_H

#include <atomic>
#include <cstdint>

namespace skein {

struct Thread;

/// The place of a ready thread among others in the order of a bundle (bundles/ordered.cpp).
struct Ordered {
  uint64_t number = 0; // of two equal threads the one with the lower number is first
  Thread *first_child = nullptr;
};

/// The deadline of a thread that waits: a node of the heap in timers.h.
enum class TimerState : uint8_t { idle, armed, firing };
struct Timer {
  Timer *child = nullptr, *next = nullptr, *previous = nullptr;
  uint64_t deadline_ns = 0;
  std::atomic<TimerState> state{TimerState::idle};
};

} // namespace skein

#endif
