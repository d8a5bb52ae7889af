// Ends of threads; see ending.h.
#include "sync/ending.h"

#include "arch/x86_64/switch.h"
#include "base/log.h"
#include "base/node.h"
#include "base/uneven_barrier.h"
#include "os/linux/futex.h"
#include "sched/time_slices.h"
#include "sync/join.h"
#include "sync/waits.h"

#include <skein/skein.h>

#include <cstdlib>
#include <cstring>
#include <unwind.h>

// Weak, so that it is there only in programs that have an unwinder anyway.
#pragma weak _Unwind_ForcedUnwind

extern "C" {
/// switch.S: the thread's function has returned `result`, wherever its stack is now.
[[noreturn]] void skein_thread_end(uint64_t result);
/// stubs.S: where a cancelled thread goes on; calls skein_cancelled_end with room for it.
void skein_cancelled(void);
extern const char skein_thread_bottom[];
}

namespace skein {

void (*cancel_elsewhere)(uint64_t id);

namespace {

struct Ending {
  _Unwind_Exception exception; // first: the unwinder's
  uint64_t result;
};

constexpr uint64_t ending_class = 0x534b4549'4e454e44; // "SKEINEND"

_Unwind_Reason_Code at_frame(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception *,
                             _Unwind_Context *, void *argument) {
  if (!(actions & _UA_END_OF_STACK))
    return _URC_NO_REASON;
  auto *ending = static_cast<Ending *>(argument);
  const uint64_t result = ending->result;
  std::free(ending);
  skein_thread_end(result);
}

/// A handler swallowed the unwinding.
void on_kept(_Unwind_Reason_Code, _Unwind_Exception *) {
  fatal("thread %s ends (skein_exit or skein_cancel), but a catch (...) did not throw on: let it end with `throw;`",
        thread_name(skein_self()).text);
}

[[noreturn]] void end_thread(Thread *self, uint64_t result) {
  self->end.begun = true;
  if (_Unwind_ForcedUnwind) {
    if (auto *ending = static_cast<Ending *>(std::malloc(sizeof(Ending)))) {
      std::memset(ending, 0, sizeof *ending);
      ending->exception.exception_class = ending_class;
      ending->exception.exception_cleanup = on_kept;
      ending->result = result;
      _Unwind_ForcedUnwind(&ending->exception, at_frame, ending);
      std::free(ending); // it could not even begin
    } else {
      log("thread %s ends without its destructors: no memory to unwind its stack", thread_name(self->id).text);
    }
  }
  skein_thread_end(result);
}

/// A thread that was cancelled before its first resume does not call its function.
void begins(Thread *thread) {
  if (!thread->end.cancelled.load(std::memory_order_relaxed))
    return;
  thread->end.begun = true;
  auto *context = reinterpret_cast<SavedContext *>(thread->stack.high - 16 - sizeof(SavedContext));
  std::memmove(context, thread->sp, sizeof *context);
  context->return_address = reinterpret_cast<uint64_t>(skein_thread_bottom);
  thread->sp = context;
  thread->result = SKEIN_CANCELLED;
}

/// Lets a thread end that cancel_blocked has withdrawn.
void let_end(Thread *thread) {
  cancel_divert(thread);
  if (thread->wait.kind)
    wait_give_up(thread, SKEIN_OK);
  else
    thread_wake(thread, SKEIN_OK);
}

} // namespace

void ending_start() {
  events.thread_started.add(begins, true);
  thread_cancelled = [](Thread *self, bool polled) {
    if (!cancel_due(*self) || (polled && _Unwind_ForcedUnwind))
      return false;
    cancel_divert(self);
    return true;
  };
}

void cancel_divert(Thread *thread) {
  // As if the program had called skein_cancelled where it called us: the return address stays, the context moves down.
  auto *context = static_cast<SavedContext *>(thread->sp);
  auto *lower = reinterpret_cast<SavedContext *>(static_cast<char *>(thread->sp) - sizeof(uint64_t));
  std::memmove(lower, context, SKEIN_SAVED_RETURN);
  lower->return_address = reinterpret_cast<uint64_t>(skein_cancelled);
  thread->sp = lower;
  thread->end.begun = true;
}

const void *place_of(const Thread *thread) {
  auto *context = static_cast<const SavedContext *>(thread->sp);
  const bool diverted = context->return_address == reinterpret_cast<uint64_t>(skein_cancelled);
  return reinterpret_cast<const void *>(diverted ? *reinterpret_cast<const uint64_t *>(context + 1)
                                                 : context->return_address);
}

void cancel_blocked(uint64_t id) {
  Thread *taken = nullptr, *joins = nullptr;
  thread_with(id, [&](Thread *thread) {
    // What a blocked thread holds does not change before it is taken out.
    if (thread->state.load(std::memory_order_acquire) != ThreadState::blocked || !cancel_due(*thread))
      return;
    if (wait_withdraw(thread, Purpose::cancel))
      taken = thread;
    else
      joins = thread;
  });
  if (joins && join_withdraw(joins, id)) // outside, since it takes the lock of another id
    taken = joins;
  if (taken)
    let_end(taken);
}

namespace {

/// Marks the thread's record, if it is here.
bool mark(uint64_t id) {
  Thread *created = nullptr; // now it begins, and ends
  const bool here = thread_with(id, [&](Thread *thread) {
    thread->end.cancelled.store(true, std::memory_order_relaxed);
    if (thread->state.load(std::memory_order_relaxed) == ThreadState::created) {
      thread->state.store(ThreadState::initialised, std::memory_order_relaxed);
      created = thread;
      return;
    }
    thread->interrupted.store(true, std::memory_order_relaxed); // it polls as soon as it runs
    if (thread->state.load(std::memory_order_relaxed) == ThreadState::running)
      slices_interrupt(thread);
  });
  if (created) {
    created->bound = created->bound && created->start_node == node.self;
    thread_launch(created);
  }
  return here;
}

} // namespace

// The thread whose record is marked may be departing, and be back in another record when we look again. So only a
// record that has the mark counts.
bool cancel_mark(uint64_t id) {
  bool stays, marked;
  do {
    if (!mark(id))
      return false;
    barrier_heavy(); // partners: the light one in wait_point, and that of the code that makes it in_flight
    stays = false;
    marked = true;
    thread_with(id, [&](Thread *thread) {
      marked = thread->end.cancelled.load(std::memory_order_relaxed);
      stays = thread->state.load(std::memory_order_relaxed) != ThreadState::in_flight;
    });
  } while (!marked);
  if (stays)
    cancel_blocked(id);
  return stays;
}

extern "C" {

void skein_exit(uint64_t result) {
  Thread *self = thread_current();
  if (!self)
    fatal("skein_exit was called outside of any Skein thread");
  end_thread(self, result);
}

void skein_cancelled_end() { end_thread(thread_current(), SKEIN_CANCELLED); }

Thread *skein_cancel_call(Thread *self, uint64_t id) {
  thread_error_clear(self);
  const int birth = thread_id_node(id);
  if (!id || birth >= node.count || (birth == node.self && !thread_id_given(id)))
    return answer(self, thread_error(self, SKEIN_ETHREAD, "skein_cancel: there is and was no thread of that id"));
  if (!cancel_mark(id) && cancel_elsewhere)
    cancel_elsewhere(id);
  return answer(self, SKEIN_OK);
}

} // extern "C"

} // namespace skein
