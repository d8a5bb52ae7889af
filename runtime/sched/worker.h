// Workers as the files of this room see them; sched.h is for the other rooms.
#ifndef SKEIN_SCHED_WORKER_H
#define SKEIN_SCHED_WORKER_H

#include "sched/sched.h"
#include "trace/trace.h"

#include <cerrno>

namespace skein {

/// Room for all workers that there may ever be; only [0, workers_running()) exist.
extern Worker *workers;
inline constexpr uint32_t workers_most = 1024;
uint32_t workers_running();
/// Whether a ready thread waits for the one worker that may run it.
bool workers_bound();
/// Whether more than one worker runs, or did. While it is false no other kernel thread runs threads
/// (sync/quick_locks.h).
inline bool workers_many() { return alone_state.load(std::memory_order_relaxed) == RuntimeUsers::workers; }

/// Sets the number of workers. From here on worker 0 exists, and sched_stop is heeded.
void workers_setup();
/// Ends the workers other than 0. Called on worker 0's kernel thread, after sched_stop.
void workers_join();

/// In the child of a fork: `mine` becomes worker 0, the only one, and no thread is ready.
void workers_after_fork(const Worker &mine);
/// Called there too: the program is over when the one thread that is left has ended, whether it is main or not.
void main_after_fork();

/// So many threads were given to their bundles: wakes as many sleepers, if there are any. `from_outside`: the caller is
/// no worker.
void workers_notice(bool from_outside, uint32_t threads = 1);
/// The same for a thread that only worker `index` may run.
void workers_notice_bound(uint32_t index);
void workers_wake_all();

/// Lets `next` run next, if it has a stack or can get one; otherwise some other thread.
Thread *thread_run(Thread *next);

/// This kernel thread becomes the worker. Until its first thread runs, and when all have ended, its stack begins at the
/// caller's frame: a library that is called meanwhile may call a function of the program, which must see that nobody
/// can be suspended there (SKEIN_STAYS_ON_WORKER).
[[gnu::always_inline]] inline void worker_begin(Worker &worker) {
  worker.errno_address = &errno;
  worker.stack_top = __builtin_frame_address(0);
  skein_processor = &worker;
  trace_worker(worker.index);
}

/// A worker that has ended threads has nothing to do: checks whether they were the last.
void look_for_the_end();

/// Set by sched_stop.
extern std::atomic<bool> stopping;
int exit_status();

} // namespace skein

#endif
