// See for_debuggers.h.
#include "sched/for_debuggers.h"

#include "abi/debugger.h"
#include "base/node.h"
#include "sched/sched.h"
#include "sched/worker.h"
#include "thread/table.h"
#include "thread/thread.h"

extern "C" {
/// Exported by every program, so that it is found in a stripped one as well.
skein_debugger skein_threads_for_debugger;
}

namespace skein {

static constexpr ThreadState states[] = {ThreadState::initialised, ThreadState::ready,     ThreadState::running,
                                         ThreadState::blocked,     ThreadState::in_flight, ThreadState::ended,
                                         ThreadState::created};
static const char *names[sizeof states / sizeof *states];

void debugger_start() {
  for (const ThreadState state : states)
    names[static_cast<unsigned>(state)] = thread_state_name(state);
  const auto address = [](const void *of) { return reinterpret_cast<uint64_t>(of); };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  skein_threads_for_debugger = {
      .version = SKEIN_DEBUGGER_VERSION,
      .table = address(&thread_table.chains),
      .chains = ThreadTable::chain_count,
      .workers = address(&workers),
      .worker_most = workers_count(),
      .worker_bytes = sizeof(Worker),
      .worker_current = offsetof(Worker, current),
      .worker_kernel_thread = offsetof(Worker, kernel_thread),
      .node = address(&node.self),
      .id_node_shift = id_node_shift,
      .thread_id = offsetof(Thread, id),
      .thread_next = offsetof(Thread, table_next),
      .thread_state = offsetof(Thread, state),
      .thread_sp = offsetof(Thread, sp),
      .thread_stack = offsetof(Thread, stack.high),
      .thread_function = offsetof(Thread, start.function),
      .thread_name = offsetof(Thread, name),
      .thread_moves = offsetof(Thread, moves),
      .thread_worker = offsetof(Thread, worker),
      .thread_reason = offsetof(Thread, wait.reason),
      .thread_object = offsetof(Thread, wait.object),
      .state_names = address(names),
      .state_count = sizeof names / sizeof *names,
      .saved_registers = SKEIN_SAVED_REGISTERS,
      .saved_return = SKEIN_SAVED_RETURN,
      .away = 0, // and what follows: debugger_shows_away
      .away_mask = 0,
      .away_bytes = 0,
      .away_node = 0,
  };
#pragma GCC diagnostic pop
}

void debugger_shows_away(const void *entries, const size_t *mask, size_t entry_bytes, size_t node) {
  skein_threads_for_debugger.away_mask = reinterpret_cast<uint64_t>(mask);
  skein_threads_for_debugger.away_bytes = entry_bytes;
  skein_threads_for_debugger.away_node = node;
  skein_threads_for_debugger.away = reinterpret_cast<uint64_t>(entries);
}

} // namespace skein
