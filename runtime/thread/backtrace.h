// Where a thread is, for reports: its frames with function, file and line, innermost first.
//
// Only the room migrate can read frames, since it knows the maps, and lower rooms ask for them. So these functions are
// weak: in a program without that room, as unit tests of lower rooms are, their addresses are null.
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
/// signal handler.
[[gnu::weak]] void backtrace_log(const Thread &thread, const Interrupted *at, unsigned most);

/// Writes "`function` (file.c:12)" for the call that returns to `pc`.
[[gnu::weak]] void place_describe(uintptr_t pc, char *to, size_t bytes);

/// Whether skeincc compiled the function of the call that returns to `pc`.
[[gnu::weak]] bool place_compiled(uintptr_t pc);

} // namespace skein

#endif
