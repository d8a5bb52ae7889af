// The kernel thread that uses the runtime alone needs no locked instructions for its spin locks. Worker 0 is alone if
// it is the only worker of the only node, until any other kernel thread comes: another worker, or a kernel thread of
// the program that spawns or asks. That one says so first, and from then on no kernel thread of this process is alone
// again.
//
//     the one that is alone                     those that come
//     inside = true                             state = leaving
//     light barrier                             heavy barrier
//     read state: still alone                   wait until inside is false
//     read, decide, write, as if it were one    state = many
//     inside = false                            …
//
// Because of the barriers (base/uneven_barrier.h) either the first sees `leaving`, or the others see `inside` and wait
// for some instructions. That holds for each of them, also for one that comes while another waits. What is between
// alone_enter and alone_leave is what one locked instruction would do otherwise.
//
// Before any kernel thread is alone, the process's first one may come without saying so (it is the one that will be
// alone), and any other makes the state `many`.
#ifndef SKEIN_BASE_ALONE_H
#define SKEIN_BASE_ALONE_H

#include <atomic>
#include <cstdint>

namespace skein {

/// Which kernel threads use the runtime. The state only grows.
enum class RuntimeUsers : uint32_t {
  unknown,
  alone,
  leaving, // the one that was alone may still be inside
  many,    // several kernel threads, of which one runs Skein threads: the only worker
  workers, // more than one worker
};
extern std::atomic<RuntimeUsers> alone_state;
extern std::atomic<bool> alone_inside;
/// This kernel thread is the one that is alone, or was.
extern __thread bool alone_mine __attribute__((tls_model("initial-exec")));

/// From here on this kernel thread is alone, if no other has come yet and it is the process's first.
void alone_start();
/// From here on there are many users, or several workers. With `workers` it is called by the only worker.
void alone_end(RuntimeUsers now = RuntimeUsers::many);
/// The workers other than the first have ended, and none has started again.
void alone_workers_ended();
/// In the child of a fork, before it takes a lock: like alone_end, although the one that was alone may not exist there.
void alone_forked();
/// The part of alone_enter for a kernel thread that is not the one that is alone.
void alone_come();

/// Whether this kernel thread is alone, until alone_leave. Not nested.
inline bool alone_enter() {
  if (alone_state.load(std::memory_order_acquire) >= RuntimeUsers::many) // pairs with the release in alone_end
    return false;
  if (__builtin_expect(!alone_mine, 0)) {
    alone_come();
    return false;
  }
  alone_inside.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst); // partner: the heavy barrier in alone_end
  if (__builtin_expect(alone_state.load(std::memory_order_relaxed) == RuntimeUsers::alone, 1))
    return true;
  alone_inside.store(false, std::memory_order_release);
  return false;
}
inline void alone_leave() {
  alone_inside.store(false, std::memory_order_release);
} // pairs with the acquire in alone_end

} // namespace skein

#endif
