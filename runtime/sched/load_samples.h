// What this room tells the recorder of the trace: samples of the node's load, and when the quick ways are to be off.
#ifndef SKEIN_SCHED_LOAD_SAMPLES_H
#define SKEIN_SCHED_LOAD_SAMPLES_H

namespace skein {

void load_samples_start();

} // namespace skein

#endif
