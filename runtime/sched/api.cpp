// What programs call and what neither blocks nor migrates: plain C on the caller's own stack.
#include "sched/sched.h"

#include "base/log.h"
#include "sched/worker.h"

#include <skein/skein.h>

#include <sched.h>

using namespace skein;

extern "C" {

void skein_workers_begin(void);

skein_thread_t skein_self(void) {
  Thread *self = thread_current();
  return self ? self->id : 0;
}

int skein_node(void) { return node.self; }
int skein_nodes(void) { return node.count; }

const char *skein_error_text(void) {
  Thread *self = thread_current();
  if (!self)
    return "this kernel thread runs no Skein thread: only main and what it spawned are Skein threads, and only while "
           "main runs "
           "or any of them does";
  return self->error_text ? self->error_text : "";
}

uint64_t __skein_spawn(void (*function)(void), const uint64_t *words, uint32_t count, uint32_t classes) {
  if (!workers)
    return 0; // before main
  Thread *self = thread_current();
  if (count > SKEIN_ARGUMENTS_MAX) {
    if (self)
      thread_error(self, SKEIN_ETHREAD, "skein_spawn: %u arguments; at most %d are possible", count,
                   SKEIN_ARGUMENTS_MAX);
    return 0;
  }
  if (self && workers_running() != workers_count())
    skein_workers_begin();
  Thread *thread = thread_new(thread_id_next());
  if (!thread) {
    if (self)
      thread_error(self, SKEIN_EMEMORY, "skein_spawn: no memory for another thread (%llu live on this node)",
                   static_cast<unsigned long long>(threads_living()));
    return 0;
  }
  thread->start.function = function;
  for (uint32_t i = 0; i < count; i++) {
    thread->start.words[i] = words[i];
    // The new thread may use an address of our stack whenever it likes, so our stack has to stay where it is.
    if (self && !self->escaped && (classes >> (2 * i) & 3) == SKEIN_ARGUMENT_POINTER &&
        self->stack.contains(reinterpret_cast<const void *>(words[i])))
      self->escaped = "was given to a thread that it spawned";
  }
  thread->start.count = count;
  thread->start.classes = classes;
  const uint64_t id = thread->id; // the thread may have ended when thread_launch returns
  thread_launch(thread);
  if (self)
    thread_error_clear(self);
  return id;
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
