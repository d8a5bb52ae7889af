/* A thread that waits for an object over nodes can be pushed away meanwhile, again and again, and goes on where it is
 * then: with the answer, even if that came while the thread was under way; with an error if the object is freed; and on
 * its node if it may not leave. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=net_delay_us=200 %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 2 --timeout 60 %t

#include "check.h"
#include <skein/global.h>

struct state {
  skein_semaphore_t semaphore;
  skein_global_mutex_t mutex;
  skein_global_condition_t condition;
  skein_global_future_t future;
  int waiting, node, code;
};
typedef volatile skein_shared struct state state;

static void waits(state *s, int kind, int home) {
  int local[4] = {1, 2, 3, kind}, *inner = &local[2];
  CHECK(skein_push_self(home) == SKEIN_OK);
  void *pins = kind == 4 ? malloc(8) : 0;
  s->waiting = 1;
  int code = SKEIN_OK;
  long value = 0, *where = &value; /* written while the stack may be anywhere */
  switch (kind) {
  case 0:
  case 3:
  case 4:
    code = skein_semaphore_wait(s->semaphore);
    break;
  case 1:
    code = skein_global_mutex_lock(s->mutex);
    CHECK(code || skein_global_mutex_unlock(s->mutex) == SKEIN_OK);
    break;
  case 2:
    CHECK(skein_global_mutex_lock(s->mutex) == SKEIN_OK);
    s->waiting = 2;
    code = skein_global_condition_wait(s->condition);
    CHECK(code || skein_global_mutex_unlock(s->mutex) == SKEIN_OK);
    break;
  case 5:
    code = skein_global_future_get(s->future, where, sizeof value);
    CHECK(*where == 0x123456789 && where == &value);
    break;
  }
  CHECK(*inner == 3 && inner == &local[2]);
  if (kind == 3)
    CHECK(code == SKEIN_ETHREAD && strstr(skein_error_text(), "skein_semaphore_wait: the object was freed"));
  if (pins)
    ((char *)pins)[0] = 1;
  free(pins);
  s->node = skein_node();
  s->code = code;
}

/* Pushes the thread as soon as it is blocked. */
static int push_blocked(skein_thread_t thread, int to) {
  int code;
  for (int tries = 0; (code = skein_push(thread, to)) == SKEIN_ETHREAD && tries < 2000; tries++)
    usleep(500); /* it still runs */
  return code;
}

/* Pushes it on `times` times from wherever it is, which is `home` at first. */
static int chases(skein_thread_t thread, int home, int times) {
  int at = home;
  CHECK(skein_push_self(at) == SKEIN_OK);
  for (int i = 0; i < times; i++) {
    int to = (at + 1) % skein_nodes();
    CHECK(push_blocked(thread, to) == SKEIN_OK);
    at = to;
    CHECK(skein_push_self(at) == SKEIN_OK);
  }
  return at;
}

static void one(int kind, int object_home, int home, int times) {
  CHECK(skein_push_self(object_home) == SKEIN_OK);
  state *s = skein_shared_alloc(0, sizeof *s);
  s->semaphore = skein_semaphore_create(0);
  s->mutex = skein_global_mutex_create(-1);
  s->condition = skein_global_condition_create(s->mutex);
  s->future = skein_global_future_create(-1);
  if (kind == 1)
    CHECK(skein_global_mutex_lock(s->mutex) == SKEIN_OK);
  skein_thread_t thread = skein_spawn(waits, s, kind, home);
  while (s->waiting != (kind == 2 ? 2 : 1))
    skein_yield();
  usleep(2000);
  int at = home;
  if (kind == 4) {
    CHECK(skein_push_self(home) == SKEIN_OK);
    CHECK(push_blocked(thread, (home + 1) % skein_nodes()) == SKEIN_EPOINTER);
  } else {
    at = chases(thread, home, times);
  }
  CHECK(skein_push_self(object_home) == SKEIN_OK);
  CHECK(s->node == 0 && s->code == 0);
  s->node = -1;
  if (kind == 3)
    CHECK(skein_global_free(s->semaphore) == SKEIN_OK);
  else if (kind == 1)
    CHECK(skein_global_mutex_unlock(s->mutex) == SKEIN_OK);
  else if (kind == 2)
    CHECK(skein_global_condition_signal(s->condition) == SKEIN_OK);
  else if (kind == 5)
    CHECK(skein_global_future_set(s->future, &(long){0x123456789}, sizeof(long)) == SKEIN_OK);
  else
    CHECK(skein_semaphore_signal(s->semaphore) == SKEIN_OK);
  CHECK(skein_join(thread) == SKEIN_OK);
  CHECK(s->node == at && s->code == (kind == 3 ? SKEIN_ETHREAD : SKEIN_OK));
}

/* The thread is signalled and pushed at the same time. */
static void waits_often(skein_semaphore_t go, skein_semaphore_t done, int rounds) {
  for (int i = 0; i < rounds; i++) { /* all together as often as `go` is signalled */
    CHECK(skein_semaphore_wait(go) == SKEIN_OK);
    CHECK(skein_semaphore_signal(done) == SKEIN_OK);
  }
}

static void pushes(skein_shared volatile uint64_t *threads, skein_shared volatile int *stop, int count, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (int i = 0; !*stop; i++) {
    skein_push(threads[i % count], (node + 1) % skein_nodes());
    if (i % 50 == 49)
      usleep(1000);
    skein_yield();
  }
}

int main(void) {
  skein_stealing_set(0);
  int nodes = skein_nodes();
  for (int kind = 0; kind <= 5; kind++)
    for (int object_home = 0; object_home < 2; object_home++)
      for (int home = 0; home < 2; home++)
        one(kind, object_home, home, kind == 0 ? 7 : 2);
  CHECK(skein_push_self(0) == SKEIN_OK);

  enum { count = 6, rounds = 60 };
  skein_semaphore_t go = skein_semaphore_create(0), done = skein_semaphore_create(0);
  skein_shared volatile uint64_t *threads = skein_shared_alloc(0, count * sizeof *threads);
  skein_shared volatile int *stop = skein_shared_alloc(0, sizeof *stop);
  for (int i = 0; i < count; i++)
    threads[i] = skein_spawn(waits_often, go, done, rounds);
  skein_thread_t pushers[8]; /* one for each node */
  for (int node = 0; node < nodes; node++)
    pushers[node] = skein_spawn(pushes, threads, stop, count, node);
  for (int i = 0; i < count * rounds; i++) {
    CHECK(skein_semaphore_signal(go) == SKEIN_OK);
    CHECK(skein_semaphore_wait(done) == SKEIN_OK);
  }
  for (int i = 0; i < count; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  *stop = 1;
  for (int node = 0; node < nodes; node++)
    CHECK(skein_join(pushers[node]) == SKEIN_OK);
  return 0;
}
