// Functions that were inlined, and lines, by a program's debug information (`-g`, or `-gline-tables-only`).
//
// The frame maps name the functions that have frames. A function that was inlined into another one has no frame, and
// one that reaches no migration point has no map. This is for reports about a thread that is dying, or about all
// threads. The first call reads the program's file and those of its libraries, by libbacktrace, which allocates by mmap
// and may be called in a signal handler.
#ifndef SKEIN_THREAD_DEBUG_INFO_H
#define SKEIN_THREAD_DEBUG_INFO_H

#include <cstdint>

namespace skein {

/// Calls `visit` for each function that the instruction at `program_counter` is part of, innermost first. The last one
/// has a frame (its name may be null, and is then found among the symbols). False, and no call: there is no debug
/// information for it.
bool debug_info_at(uintptr_t program_counter, void (*visit)(const char *function, const char *file, int line, void *),
                   void *context);

} // namespace skein

#endif
