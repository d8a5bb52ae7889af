// All reasons that keep a thread where it is; see movable.h.
#include "migrate/movable.h"

#include "base/uneven_barrier.h"
#include "migrate/lazy_moves.h"
#include "migrate/modules.h"
#include "migrate/program_numbers.h"
#include "migrate/thread_locals.h"
#include "migrate/walk.h"
#include "private/library/kernel_threads.h"
#include "private/regions/extents.h"
#include "sched/bundle.h"
#include "sync/hold_reports.h"

#include <skein/skein.h>

namespace skein {

// What keeps the thread on its stack; if the stack goes along and keeps its address, what keeps the thread in its
// process.
static bool stack_is_free(const Thread &thread, bool keeps_address, Refusal &why) {
  if (thread.deep != nullptr)
    return on_deep_stack(thread, why);
  if (thread.stack && !thread.stack.contains(thread.sp))
    return why.set(SKEIN_EPINNED,
                   "it runs on a stack that is not its own (a signal handler's, or one from makecontext)");
  if (thread.escaped != nullptr)
    return why.set(SKEIN_EPINNED, "an address of its stack %s", thread.escaped);
  if (const char *how = thread_numbered(thread); how != nullptr && !keeps_address)
    return why.set(SKEIN_EPINNED, "an address of its stack %s", how);
  if (thread.pinned_by != nullptr)
    return why.set(SKEIN_EPINNED, "the C library keeps an address of its stack, given to %s", thread.pinned_by);
  if (const char *place = pinned_region(thread))
    return why.set(SKEIN_EPINNED, "it is in the SKEIN_PINNED region that begins at %s", place);
  if (thread.owned != nullptr && thread.owned->memory_changed != nullptr)
    return why.set(SKEIN_EPINNED, "pages of its own stack or heap were changed by %s", thread.owned->memory_changed);
  if (kernel_threads_live(thread))
    return why.set(SKEIN_EPINNED, "a kernel thread that it started still runs and shares its memory");
  return check_thread_locals(thread, why);
}

// What exists on this node only.
static bool node_lets_go(const Thread &thread, Refusal &why) {
  if (!program_module().identified())
    return why.set(SKEIN_EREFUSED,
                   "the program has no build-id, which tells other nodes that they run the same one: link "
                   "it with skeincc, or with --build-id");
  if (const char *how = late_numbered(); how != nullptr)
    return why.set(SKEIN_EPINNED, LATE_NUMBERED_TEXT, how);
  if (const char *how = numbers_untold.load(std::memory_order_relaxed); how != nullptr && !modules_unchanged())
    return why.set(SKEIN_EPINNED, LATE_NUMBERED_TEXT, how);
  if (const char *how = program_numbered(); how != nullptr && !modules_agree)
    return why.set(SKEIN_EPINNED, PROGRAM_NUMBERED_TEXT, how);
  if (thread.bundle->definition == bundle_local)
    return why.set(SKEIN_EPINNED,
                   "its bundle '%s' exists on this node only; SKEIN_BUNDLE makes one that all nodes know",
                   thread.bundle->name);
  barrier_light(); // the thread is in_flight by now; partner: the heavy one in cancel_mark
  if (thread.end.cancelled.load(std::memory_order_relaxed) || thread.end.begun)
    return why.set(SKEIN_EPINNED, "it is about to end (skein_exit, skein_cancel)");
  char held[300];
  if (holds_refuse(thread, held, sizeof held))
    return why.set(SKEIN_EPINNED, "%s", held);
  if (thread.owned != nullptr && thread.owned->exits != nullptr)
    return why.set(SKEIN_EPINNED, "destructors of its thread_local variables wait for its end");
  if (const int from = thread.owned != nullptr ? paging_missing_at(thread.id) : -1; from >= 0)
    return why.set(SKEIN_EPINNED, MISSING_TEXT, from);
  if (thread.reads_options)
    return why.set(SKEIN_EPINNED, "it reads its options, and the C library remembers how far it is: getopt has not "
                                  "returned -1 yet (or was called outside of main)");
  return true;
}

bool movable(const Thread &thread, Journey journey, Refusal &why) {
  const bool leaves = journey == Journey::to_node;
  return stack_is_free(thread, leaves && stack_keeps_address(thread.stack), why) &&
         (!leaves || node_lets_go(thread, why));
}

} // namespace skein
