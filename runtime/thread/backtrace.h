// Where a thread is, for reports: its frames with function, file and line, innermost first.
//
// Only the room migrate can read frames, since it knows the maps; it registers itself here, so that lower rooms can
// ask.
#ifndef SKEIN_THREAD_BACKTRACE_H
#define SKEIN_THREAD_BACKTRACE_H

#include <cstddef>
#include <cstdint>

namespace skein {

struct Thread;

/// The place where a running thread was interrupted.
struct Interrupted {
  uintptr_t pc;
  uintptr_t sp;
  uintptr_t rbp;
};

/// Logs at most `most` frames of a thread that is suspended, or (`at` not null) that was interrupted there. Safe in a
/// signal handler. Null in a program without the room migrate.
extern void (*backtrace_log)(const Thread &thread, const Interrupted *at, unsigned most);

/// Writes "`function` (file.c:12)" for the call that returns to `pc`. Null as above.
extern void (*place_describe)(uintptr_t pc, char *to, size_t bytes);

/// Whether skeincc compiled the function of the call that returns to `pc`. Null as above.
extern bool (*place_compiled)(uintptr_t pc);

} // namespace skein

#endif
