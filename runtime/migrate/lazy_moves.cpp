// Which moves may leave memory behind; see lazy_moves.h.
#include "migrate/lazy_moves.h"

#include "base/knobs.h"
#include "base/log.h"
#include "migrate/modules.h"
#include "migrate/node_objects.h"
#include "migrate/refusal.h"
#include "private/globals/globals.h"
#include "private/heap/heap.h"

namespace skein {

const char *lazy_never;

namespace {

RefusalCounts reasons;

// Null: memory of the thread may be left behind.
const char *reason_against(const Thread &thread) {
  if (lazy_never)
    return lazy_never;
  if (!paging_on)
    return "pages are not tracked on this node";
  if (knobs.deaths == Deaths::survive)
    return "deaths=survive: a thread could not be lost in the middle of an instruction";
  if (thread.daemon)
    return "it is a daemon, and its node may outlive the one where its memory is";
  if (!stack_keeps_address(thread.stack))
    return "its stack gets another address (stacks=relocate)";
  if (!modules_agree)
    return "the program or a library has another address on another node (image=any)";
  if (program_module().begin < SKEIN_SHARED_END)
    return "the program is not position-independent";
  if (node_objects_of_process())
    return "memory of the process that has a name may have another address on another node (skein_node_object)";
  return nullptr;
}

// Whether its heap and private globals are so much that their pages are to be left behind if they may.
bool worth_leaving(const Thread &thread) {
  return knobs.moves == MoveMemory::lazy && thread.owned != nullptr && thread.stack &&
         extents_bytes(*thread.owned, paging_may_leave) >= knobs.lazy_least;
}

} // namespace

bool lazy_likely(const Thread &thread, int to) {
  return worth_leaving(thread) && reason_against(thread) == nullptr && paging_fetched_by(to);
}

bool lazy_leave(const Thread &thread, int to, Leaving &leaving) {
  if (!worth_leaving(thread))
    return false;
  const char *why = reason_against(thread);
  if (why == nullptr && paging_leave(thread, to, leaving, why))
    return true;
  reasons.add(why);
  return false;
}

void lazy_print(const char *who) {
  if (knobs.moves != MoveMemory::lazy)
    return;
  auto value = [](const std::atomic<uint64_t> &counter) {
    return static_cast<unsigned long long>(counter.load(std::memory_order_relaxed));
  };
  report("%s: %llu moves left memory behind; %llu pages were fetched, %llu accesses waited for one, and it took up to "
         "%llu us until nothing was left behind",
         who, value(paging_counts.moves), value(paging_counts.pages), value(paging_counts.faults),
         value(paging_counts.ns_max) / 1000);
  reasons.print(who, "all memory was taken along");
}

} // namespace skein
