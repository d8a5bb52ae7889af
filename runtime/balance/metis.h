// METIS, which cuts graphs, if it is installed (Karypis and Kumar, "A fast and high quality multilevel scheme for
// partitioning irregular graphs", 1998). It is loaded when it is needed for the first time, so no program depends on
// it.
//
// It is loaded into a namespace of the dynamic linker's, with a libc of its own, because it calls srand: the program's
// random numbers would become others, and so would its results. It also takes the handlers of SIGABRT and SIGTERM for
// its own errors; they are given back after each call. In the milliseconds of a call such a signal ends the process
// without the program's handler.
#ifndef SKEIN_BALANCE_METIS_H
#define SKEIN_BALANCE_METIS_H

#include "balance/thread_placement.h"

namespace skein {

/// Loads it; null, or why it is not there. For one kernel thread, which then calls metis_partition.
const char *metis_load();
/// A Partitioner. False if there are too few threads to cut.
bool metis_partition(const PlacementProblem &problem, int32_t *part);

} // namespace skein

#endif
