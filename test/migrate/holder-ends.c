/* The holder of a mutex over nodes ends while it holds it, by returning or by skein_exit, where it was born or
 * elsewhere: who waits is told so, and who it was, and so is who asks later. Other mutexes, and other threads, know
 * nothing of it.
 */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 1 --timeout 30 %t
// RUN: %run -n 3 --timeout 30 %t
// RUN: env SKEIN_OPTIONS=net_delay_us=300,seed=5 %run -n 3 --timeout 30 %t

#include "check.h"
#include <skein/global.h>
#include <skein/sync.h>

static void holds(skein_global_mutex_t mutex, skein_semaphore_t held, skein_semaphore_t end, int node, int exits) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(skein_global_mutex_lock(mutex) == SKEIN_OK);
  CHECK(skein_semaphore_signal(held) == SKEIN_OK && skein_semaphore_wait(end) == SKEIN_OK);
  if (exits)
    skein_exit(0);
}

static long waits(skein_global_mutex_t mutex, skein_thread_t holder, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  const int code = skein_global_mutex_lock(mutex);
  char name[32];
  snprintf(name, sizeof name, "%d", (int)(holder & 0xffffff));
  CHECK(code != SKEIN_ELOCK || strstr(skein_error_text(), name));
  return code;
}

static void each(int home, int at, int exits) {
  const int nodes = skein_nodes();
  skein_global_mutex_t mutex = skein_global_mutex_create(home % nodes), other = skein_global_mutex_create(home % nodes);
  skein_semaphore_t held = skein_semaphore_create(0), end = skein_semaphore_create(0);
  CHECK(skein_global_mutex_lock(other) == SKEIN_OK);
  skein_thread_t holder = skein_spawn(holds, mutex, held, end, at % nodes, exits);
  CHECK(skein_semaphore_wait(held) == SKEIN_OK && skein_global_mutex_trylock(mutex) == SKEIN_EBUSY);
  skein_thread_t waiters[3];
  for (int i = 0; i < 3; i++)
    waiters[i] = skein_spawn(waits, mutex, holder, i % nodes);
  skein_sleep_ns(3000000); /* for some to be in line; those who are late get the same answer */
  CHECK(skein_semaphore_signal(end) == SKEIN_OK && skein_join(holder) == SKEIN_OK);
  for (int i = 0; i < 3; i++) {
    long code = -1;
    CHECK(skein_join_result(waiters[i], &code) == SKEIN_OK && code == SKEIN_ELOCK);
  }
  CHECK(skein_global_mutex_lock(mutex) == SKEIN_ELOCK && skein_global_mutex_trylock(mutex) == SKEIN_ELOCK);
  CHECK(skein_global_mutex_unlock(other) == SKEIN_OK && skein_global_mutex_lock(other) == SKEIN_OK);
  CHECK(skein_global_free(mutex) == SKEIN_OK && skein_global_mutex_lock(mutex) == SKEIN_ETHREAD);
  CHECK(skein_global_mutex_unlock(other) == SKEIN_OK && skein_global_free(other) == SKEIN_OK);
}

int main(void) {
  skein_stealing_set(0);
  for (int home = 0; home < 2; home++)
    for (int at = 0; at < 3; at++)
      each(home, at, (home + at) % 2);
  return 0;
}
