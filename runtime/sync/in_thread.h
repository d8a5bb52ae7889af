// What this room keeps in a thread's record: what the thread waits for, which threads wait for its end, and whether it
// is to end.
#ifndef SKEIN_SYNC_IN_THREAD_H
#define SKEIN_SYNC_IN_THREAD_H

#include "base/list.h"

#include <atomic>
#include <cstdint>

namespace skein {

struct WaitKind; // sync/waits.h

/// The place of a thread in the ring of what it waits for.
struct WaitRecord : Link {
  std::atomic<bool> queued{false}; // it is in a ring
  bool parked = false;             // it is that of a ParkedThread (thread/parked.h)
  uint16_t watched_by = 0;         // 1 + the worker that has seen this wait begin, under the bucket's lock; 0: none
};

/// What a thread is blocked on. The scheduler sets object and reason, waits.h the others.
struct Waiting {
  WaitRecord record;
  void *object = nullptr;         // in skein_join: 2 * id + 1
  const char *reason = nullptr;   // "skein_join", …; null unless blocked
  const WaitKind *kind = nullptr; // of a wait that can be given up (by a deadline, a cancel); null in all others
};

/// What a thread's function returned, as one word: an integer extended to 64 bits, an address, or a double.
enum class ResultKind : uint32_t { none, integer, pointer, real };
struct Result {
  uint64_t value = 0;
  ResultKind kind = ResultKind::none;
  uint32_t unused = 0; // 0: results are sent
};

/// The threads that wait for a thread's end, and what they get (join.h).
struct Joining {
  WaitRecord *waiters = nullptr;     // the ring of those on this node; under the table's lock
  Result returned;                   // by its function, which is over
  bool awaited = false;              // a thread on this node waited for its end
  std::atomic<bool> detached{false}; // at its birth node: nobody wants its result
  bool taken = false;                // at its end: a thread on this node waited, and got the result
};

/// An end before the function returns (ending.h).
struct Ending {
  std::atomic<bool> cancelled{false}; // it is to end at its next point
  bool begun = false;                 // its stack is being unwound
};

} // namespace skein

#endif
