// The load of this node at a moment: for programs that ask for it (skein_statistics_get), and for recordings.
#ifndef SKEIN_SCHED_LOAD_H
#define SKEIN_SCHED_LOAD_H

#include <cstdint>

namespace skein {

struct Load {
  uint64_t threads; // that live here
  uint64_t ready;   // in queues
  uint64_t busy;    // workers that have a thread
  uint64_t cpu_us;  // processor time of the process
};
Load load_now();

/// Tells the recorder of the trace whom to ask for samples, and when the quick ways are to be off.
void load_start();

} // namespace skein

#endif
