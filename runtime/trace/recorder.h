// The recorder of this node: the kernel thread that takes records out of the rings and writes them to the node's file.
#ifndef SKEIN_TRACE_RECORDER_H
#define SKEIN_TRACE_RECORDER_H

#include "trace/file.h"

#include <cstdint>

namespace skein {

/// Begins to record, if the knobs ask for it; called once the node's number is known. Ends the process with a message
/// if the file cannot be made. Records are complete in the file when the process has ended, or has called exit.
void recorder_start();

/// Whether this process records, whichever classes are on.
bool recorder_runs();

/// Whether an address lies in the file that is being recorded, which is mapped.
bool recorder_has(uint64_t address);
/// The descriptor of that file; -1: there is none.
int recorder_file();

/// From when this is true until recorder_go_on the recorder does nothing: it holds no lock, and asks nobody for the
/// time. False: it is just at work.
bool recorder_halts();
void recorder_go_on();
/// In a process that is made of a copy, which has neither the file nor the recorder: nothing is recorded any more.
void recorder_forget();

/// From here on these classes are recorded. Without a recorder nothing happens.
void recorder_classes_set(uint32_t classes);

/// Called with the classes that are on from then on, and at the start: rooms above prepare for them.
extern void (*recorder_classes_change)(uint32_t classes);
/// Tells the other nodes which classes are to be on; null: there are none.
extern void (*recorder_classes_tell)(uint32_t classes);
/// Called by the recorder, each trace_period_ms, to record what is to be sampled.
extern void (*recorder_samples)();
/// Called by it to ask node 0 what time it is. False: that was not possible.
extern bool (*recorder_asks_clock)();

/// CLOCK_MONOTONIC as records have it: with fault=clock another one than this node's.
uint64_t recorder_clock_ns();
/// Node 0 was asked at `asked_ns` and has answered at `answered_ns`, by this node's CLOCK_MONOTONIC; its own was at
/// `there_ns` in between. May be called by any kernel thread.
void recorder_peer_clock(uint64_t asked_ns, uint64_t there_ns, uint64_t answered_ns);

} // namespace skein

#endif
