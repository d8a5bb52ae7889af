// What programs call and what neither blocks nor migrates: plain C functions that run on the caller's own stack.
#include "sched/sched.h"

#include "abi/library_calls.h"
#include "arch/x86_64/switch.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/tally.h"
#include "sched/bundle.h"
#include "sched/limits.h"
#include "sched/quick.h"
#include "sched/time_slices.h"
#include "sched/worker.h"

#include <skein/nodes.h>
#include <skein/skein.h>

#include <cstring>
#include <sched.h>

using namespace skein;

namespace skein {

namespace {

/// The control words of the caller. Where a handler runs on a worker's stack, the registers hold what the last thread
/// left behind; a plain handler therefore gets the modes of the process.
ControlWords callers_control(const Thread *self) {
  if (self)
    return control_words_now();
  return skein_processor ? control_words_of_process : control_words_now().with_none_raised();
}

uint32_t words_counted(uint32_t count_and_place) { return count_and_place & ~SKEIN_IN_MEMORY; }

/// Notes in the new thread's record what it is to do.
void fill(Thread *thread, Thread *self, const ControlWords &control, void (*function)(void), const uint64_t *words,
          uint32_t count_and_place, uint32_t classes) {
  const uint32_t count = words_counted(count_and_place);
  thread->start.function = function;
#pragma clang loop unroll(disable) vectorize(disable) // they are few
  for (uint32_t i = 0; i < count; i++)
    thread->words[i] = words[i];
  // The new thread may use an address in our stack at any time, so our stack must keep its address.
  constexpr uint32_t pointers = 0x5555555;
  static_assert(SKEIN_ARGUMENT_POINTER == 1 && pointers >> SKEIN_RESULT_SHIFT == 0);
  if (classes & ~(classes >> 1) & pointers && self && !self->escaped)
    for (uint32_t i = 0; i < count; i++)
      if ((classes >> (2 * i) & 3) == SKEIN_ARGUMENT_POINTER &&
          self->stack.contains(reinterpret_cast<const void *>(words[i])))
        self->escaped = "was given to a thread that it spawned";
  thread->start.count = static_cast<uint16_t>(count);
  thread->start.in_memory = count != count_and_place;
  thread->start.classes = classes;
  thread->start.control = control;
}

/// A new thread that is in no bundle yet; null with an error text.
Thread *spawned(Thread *self, const ControlWords &control, const char *call, void (*function)(void),
                const uint64_t *words, uint32_t count, uint32_t classes) {
  if (words_counted(count) > SKEIN_ARGUMENTS_MAX) {
    if (self)
      thread_error(self, SKEIN_ETHREAD, "%s: %u arguments; at most %d are possible", call, words_counted(count),
                   SKEIN_ARGUMENTS_MAX);
    return nullptr;
  }
  Thread *thread = thread_new();
  if (!thread) {
    if (self)
      thread_error(self, SKEIN_EMEMORY, "%s: no memory for another thread (%llu live on this node)", call,
                   static_cast<unsigned long long>(threads_living()));
    return nullptr;
  }
  fill(thread, self, control, function, words, count, classes);
  return thread;
}

/// The quick way (quick.h) of skein_spawn. Returns the new thread's id, or 0 if nothing has happened.
[[gnu::always_inline]] inline uint64_t spawn_quickly(Worker &worker, void (*function)(void), const uint64_t *words,
                                                     uint32_t count, uint32_t classes) {
  if (words_counted(count) > SKEIN_ARGUMENTS_MAX)
    return 0;
  QuickVisit visit(worker);
  ReadyQueue *queue = visit.queue();
  Thread *thread = queue ? thread_new_quickly() : nullptr;
  if (!thread)
    return 0;
  const uint64_t id = thread->id;
  fill(thread, worker.current, control_words_now(), function, words, count, classes);
  thread->bundle = bundle_root;
  tally_each_in(tally_mine(), Tally::begun, Tally::spawned, Tally::put);
  queue_push(*queue, thread); // it may have ended when this returns
  return id;
}

/// Changes something that a bundle orders its threads by. A thread that is ready is taken out of its bundle meanwhile.
template <class Change> int change(uint64_t id, const char *call, Change &&change) {
  ThreadState state;
  if (Thread *thread = take_ready(id, &state)) {
    change(thread);
    thread_ready(thread);
    return SKEIN_OK;
  }
  if (thread_with(id, change))
    return SKEIN_OK;
  Thread *self = thread_current();
  return self ? thread_error(self, SKEIN_ETHREAD, "%s: thread %s is not on this node", call, thread_name(id).text)
              : SKEIN_ETHREAD;
}

} // namespace

/// skein_spawn_with and skein_create, on the worker's stack; `words` lie in the stack of `self`.
extern "C" Thread *skein_spawn_with_call(Thread *self, const skein_attributes *attributes, void (*function)(void),
                                         const uint64_t *words, uint64_t count_and_classes) {
  const bool create = count_and_classes & SKEIN_CREATE;
  const char *call = create ? "skein_create" : "skein_spawn_with";
  self->result = 0;
  thread_error_clear(self);
  if (workers_running() != workers_count())
    workers_start();
  const skein_attributes wanted = *attributes;
  const int node_wanted = wanted.node ? wanted.node - 1 : node.self;
  if (thread_check_node(self, node_wanted, call))
    return self;
  // How many workers another node has is checked there.
  const uint32_t workers_there = node_wanted == node.self ? workers_count() : workers_most;
  if (wanted.worker < 0 || static_cast<uint32_t>(wanted.worker) > workers_there) {
    thread_error(self, SKEIN_ENODE, "%s: there is no worker %d on node %d, only 0 to %u", call, wanted.worker - 1,
                 node_wanted, workers_there - 1);
    return self;
  }
  Thread *thread = spawned(self, static_cast<const SavedContext *>(self->sp)->control, call, function, words,
                           static_cast<uint8_t>(count_and_classes >> 32), static_cast<uint32_t>(count_and_classes));
  if (!thread)
    return self;
  if (wanted.name)
    std::strncpy(thread->name, wanted.name, sizeof thread->name - 1);
  thread->stamp = wanted.stamp;
  thread->priority = wanted.priority;
  thread->bound = wanted.worker != 0;
  thread->worker = wanted.worker ? static_cast<uint32_t>(wanted.worker - 1) : worker_current()->index;
  bundle_enter(thread, wanted.bundle ? wanted.bundle : self->bundle);
  self->result = thread->id; // the thread may have ended when thread_launch returns
  if (create) {
    thread->start_node = static_cast<int16_t>(node_wanted);
    thread_announce(thread);
    thread->state.store(ThreadState::created, std::memory_order_release); // pairs with the table's lock in skein_start
    return self;
  }
  thread_announce(thread);
  if (node_wanted != node.self)
    return events.spawn_elsewhere(self, thread, node_wanted, false);
  thread_launch(thread);
  return self;
}

extern "C" Thread *skein_start_call(Thread *self, uint64_t id) {
  thread_error_clear(self);
  Thread *thread = nullptr;
  ThreadState state = ThreadState::ended;
  thread_with(id, [&](Thread *found) {
    state = found->state.load(std::memory_order_relaxed);
    if (state != ThreadState::created)
      return;
    thread = found;
    thread->state.store(ThreadState::initialised, std::memory_order_relaxed); // now no other call can start it
  });
  if (!thread) {
    self->result =
        static_cast<uint64_t>(thread_error(self, SKEIN_ETHREAD, "skein_start: thread %s is %s", thread_name(id).text,
                                           state == ThreadState::ended         ? "not on this node"
                                           : state == ThreadState::initialised ? "started already"
                                                                               : thread_state_name(state)));
    return self;
  }
  self->result = SKEIN_OK;
  if (thread->start_node != node.self)
    return events.spawn_elsewhere(self, thread, thread->start_node, true);
  thread_launch(thread);
  return self;
}

extern "C" Thread *skein_yield_to_call(Thread *self, uint64_t id) {
  thread_error_clear(self);
  self->result = SKEIN_OK;
  ThreadState state = ThreadState::running;
  Thread *next = id == self->id ? nullptr : take_ready(id, &state);
  if (!next) {
    self->result = static_cast<uint64_t>(
        thread_error(self, SKEIN_ETHREAD, "skein_yield_to: thread %s is %s", thread_name(id).text,
                     state == ThreadState::ended ? "not on this node" : thread_state_name(state)));
    return self;
  }
  if (!next->stack)
    next->state.store(ThreadState::initialised, std::memory_order_relaxed);
  thread_set_running(*worker_current(), next);
  thread_ready(self);
  return thread_run(next);
}

} // namespace skein

extern "C" {

void skein_workers_begin(void);

skein_thread_t skein_self(void) {
  Thread *self = thread_current();
  return self ? self->id : 0;
}

void skein_daemon(void) {
  Thread *self = thread_current();
  if (!self || self->id == main_id)
    return;
  thread_is_daemon(*self);
  worker_current()->ended = true; // it may have been the last one that the run has waited for
}

int __skein_error(int code, const char *text) {
  Thread *self = thread_current();
  return self ? thread_error(self, code, "%s", text) : code;
}

void __skein_lock_wait(unsigned *round) { lock_wait_step(*round); }

int skein_node(void) { return node.self; }
int skein_nodes(void) { return nodes_taken(); }
int skein_nodes_at_start(void) { return node.founders; }
int skein_nodes_most(void) { return node.count; }

const char *skein_error_text(void) {
  Thread *self = thread_current();
  if (!self)
    return "this kernel thread runs no Skein thread: only main and what it spawned are Skein threads, and only while "
           "main runs "
           "or any of them does";
  return self->error_text ? self->error_text : "";
}

uint64_t skein_limit_wait(const skein_attributes *attributes, uint64_t told);
uint64_t skein_spawn_with_now(const skein_attributes *attributes, void (*function)(void), const uint64_t *words,
                              uint64_t count_and_classes);

uint64_t skein_spawn_with_quick(const skein_attributes *attributes, void (*function)(void), const uint64_t *words,
                                uint64_t count_and_classes) {
  if (__builtin_expect(limits_any.load(std::memory_order_relaxed), 0) && skein_processor &&
      (!attributes->node || attributes->node - 1 == node.self))
    for (uint64_t told = 0; (told = skein_limit_wait(attributes, told));)
      ;
  [[clang::musttail]] return skein_spawn_with_now(attributes, function, words, count_and_classes);
}

[[gnu::noinline]] static uint64_t spawn_slowly(Thread *self, void (*function)(void), const uint64_t *words,
                                               uint32_t count, uint32_t classes) {
  if (!workers)
    return 0; // before main
  if (__builtin_expect(limits_any.load(std::memory_order_relaxed), 0) && self)
    for (uint64_t told = 0; (told = skein_limit_wait(nullptr, told));)
      ; // the thread is bound to its worker while it waits
  if (self && workers_running() != workers_count())
    skein_workers_begin();
  Thread *thread = spawned(self, callers_control(self), "skein_spawn", function, words, count, classes);
  if (!thread)
    return 0;
  bundle_enter(thread, self ? self->bundle : bundle_root);
  const uint64_t id = thread->id; // the thread may have ended when thread_launch returns
  thread_announce(thread);
  thread_launch(thread);
  if (self)
    thread_error_clear(self);
  return id;
}

uint64_t __skein_spawn(void (*function)(void), const uint64_t *words, uint32_t count, uint32_t classes) {
  Thread *self = thread_current();
  const uint64_t id = self ? spawn_quickly(*worker_current(), function, words, count, classes) : 0;
  if (!id)
    return spawn_slowly(self, function, words, count, classes);
  workers_notice(false);
  slices_notice();
  thread_error_clear(self);
  return id;
}

unsigned skein_workers(void) { return workers_count(); }
unsigned skein_worker(void) {
  const Worker *worker = worker_current();
  return worker ? worker->index : 0;
}

int skein_priority_set(skein_thread_t id, int priority) {
  return change(id, "skein_priority_set", [&](Thread *thread) { thread->priority = priority; });
}

int skein_priority() {
  const Thread *self = thread_current();
  return self ? self->priority : 0;
}

int skein_stamp_set(skein_thread_t id, uint64_t stamp) {
  return change(id, "skein_stamp_set", [&](Thread *thread) { thread->stamp = stamp; });
}

char *skein_name(skein_thread_t id, char *to) {
  return thread_with(id, [&](Thread *thread) { std::memcpy(to, thread->name, sizeof thread->name); }) ? to : nullptr;
}

// --- calls from a kernel thread that runs no Skein thread (see stub.h) ---------------------------------------------

uint64_t skein_outside_nothing(void) { return 0; }
int skein_outside_error(void) { return SKEIN_ETHREAD; }
void skein_outside_yield(void) { sched_yield(); }

[[noreturn]] void skein_outside_fatal(const char *name) {
  fatal("%s was called outside of any Skein thread: before main, after its end, or in a kernel thread the program made",
        name);
}
}
