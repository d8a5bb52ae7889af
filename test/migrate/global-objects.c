/* Mutexes, conditions, barriers, latches, futures, reductions and broadcasts over nodes are used by threads that move
 * in between and while they hold them. The test covers misuse, freeing under waiters, collective creation, and the
 * names of the first seed. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=100 %run -n 3 --timeout 60 %t
// RUN: %t

#include "check.h"
#include <skein/gl_sema.h>
#include <skein/global.h>

static void hop(int by) {
  int code = skein_push_self((skein_node() + by) % skein_nodes());
  CHECK(code == SKEIN_OK);
}

enum { rounds = 20, count = 9 };

static void locks(skein_global_mutex_t mutex, skein_shared long *counter, int i) {
  hop(i);
  for (int round = 0; round < rounds; round++) {
    if (round % 3) {
      CHECK(skein_global_mutex_lock(mutex) == SKEIN_OK);
    } else {
      while (skein_global_mutex_trylock(mutex) == SKEIN_EBUSY)
        skein_yield();
    }
    long was = *counter;
    if (round % 7 == 0)
      hop(1); /* it holds the mutex meanwhile */
    *counter = was + 1;
    CHECK(skein_global_mutex_unlock(mutex) == SKEIN_OK);
  }
}

struct buffer {
  long full, sum, value;
};

static void puts_in(skein_global_mutex_t mutex, skein_global_condition_t changed, skein_shared struct buffer *buffer,
                    int i) {
  hop(i);
  for (long value = 1; value <= rounds; value++) {
    CHECK(skein_global_mutex_lock(mutex) == SKEIN_OK);
    while (buffer->full)
      CHECK(skein_global_condition_wait(changed) == SKEIN_OK);
    buffer->full = 1;
    buffer->value = value;
    CHECK(skein_global_condition_broadcast(changed) == SKEIN_OK);
    CHECK(skein_global_mutex_unlock(mutex) == SKEIN_OK);
    if (value % 9 == 0)
      hop(1);
  }
}

static void takes_out(skein_global_mutex_t mutex, skein_global_condition_t changed, skein_shared struct buffer *buffer,
                      int i) {
  hop(i);
  for (long n = 0; n < rounds; n++) {
    CHECK(skein_global_mutex_lock(mutex) == SKEIN_OK);
    while (!buffer->full)
      CHECK(skein_global_condition_wait(changed) == SKEIN_OK);
    buffer->full = 0;
    buffer->sum += buffer->value;
    CHECK(skein_global_condition_broadcast(changed) == SKEIN_OK);
    CHECK(skein_global_mutex_unlock(mutex) == SKEIN_OK);
  }
}

static void meets(skein_global_barrier_t barrier, skein_shared int *at, int i) {
  hop(i);
  for (int round = 0; round < rounds; round++) {
    at[16 * i] = round;
    CHECK(skein_global_barrier_wait(barrier) == SKEIN_OK);
    for (int other = 0; other < count; other++)
      CHECK(at[16 * other] == round);
    CHECK(skein_global_barrier_wait(barrier) == SKEIN_OK);
    if (round % 8 == i % 8)
      hop(1);
  }
}

static void combines(skein_reduction_t reduction, int i) {
  hop(i);
  for (int round = 0; round < rounds / 2; round++) {
    int64_t sums[3] = {i, round, 1};
    CHECK(skein_reduce_int64(reduction, SKEIN_REDUCE_ADD, sums, 3) == SKEIN_OK);
    CHECK(sums[0] == count * (count - 1) / 2 && sums[1] == count * round && sums[2] == count);
    double most = -i - round;
    CHECK(skein_reduce_double(reduction, SKEIN_REDUCE_MAX, &most, 1) == SKEIN_OK);
    CHECK(most == -round);
    int64_t least = i - 4, bits = (int64_t)1 << i;
    CHECK(skein_reduce_int64(reduction, SKEIN_REDUCE_MIN, &least, 1) == SKEIN_OK && least == -4);
    CHECK(skein_reduce_int64(reduction, SKEIN_REDUCE_OR, &bits, 1) == SKEIN_OK && bits == (1 << count) - 1);
    char text[40] = "";
    if (round % count == i)
      CHECK(skein_broadcast_send(reduction, "geese fly in formation, taking turns  ", sizeof text) == SKEIN_OK);
    else
      CHECK(skein_broadcast_receive(reduction, text, sizeof text) == SKEIN_OK && strncmp(text, "geese fly", 9) == 0);
    if (round % 5 == 0)
      hop(1);
  }
}

static void awaits(skein_global_latch_t latch, skein_global_future_t future, skein_shared int *done, int i) {
  hop(i);
  double value[5];
  CHECK(skein_global_future_get(future, value, sizeof value) == SKEIN_OK && value[3] == 2.5);
  char small;
  CHECK(skein_global_future_get(future, &small, 1) == SKEIN_EMEMORY);
  done[16 * i] = 1;
  CHECK(skein_global_latch_down(latch, 1) == SKEIN_OK);
}

static void is_told(skein_global_mutex_t mutex, skein_shared volatile int *result, int i) {
  hop(i);
  *result = -1;
  *result = skein_global_mutex_lock(mutex);
  CHECK(strstr(skein_error_text(), "skein_global_mutex_lock: the object was freed while the thread waited") ||
        strstr(skein_error_text(), "skein_global_mutex_lock: there is no such object")); // its request came late
}

static void makes(skein_shared uint64_t *handles, int i) {
  hop(i - skein_node());
  gl_sema_t *sema;
  make_sema_global(&sema, skein_nodes() - 1, 1, 3);
  handles[i] = (uintptr_t)sema;
  gl_sema_wait(sema);
  gl_sema_signal(sema);
}

int main(void) {
  skein_stealing_set(0);
  int nodes = skein_nodes();
  for (int home = 0; home < nodes; home++) {
    skein_thread_t threads[count];
    skein_global_mutex_t mutex = skein_global_mutex_create(home);
    CHECK(mutex);
    skein_shared long *counter = skein_shared_alloc((home + 1) % nodes, sizeof *counter);
    for (int i = 0; i < count; i++)
      threads[i] = skein_spawn(locks, mutex, counter, i);
    for (int i = 0; i < count; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
    CHECK(*counter == count * rounds);

    skein_global_condition_t changed = skein_global_condition_create(mutex);
    CHECK(changed);
    skein_shared struct buffer *buffer = skein_shared_alloc(home, sizeof *buffer);
    for (int i = 0; i < 8; i++)
      threads[i] =
          i % 2 ? skein_spawn(puts_in, mutex, changed, buffer, i) : skein_spawn(takes_out, mutex, changed, buffer, i);
    for (int i = 0; i < 8; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
    CHECK(buffer->sum == 4 * rounds * (rounds + 1) / 2);
    CHECK(skein_global_condition_wait(changed) == SKEIN_ELOCK);
    CHECK(skein_global_mutex_unlock(mutex) == SKEIN_ELOCK);
    CHECK(skein_global_mutex_lock(mutex) == SKEIN_OK && skein_global_mutex_lock(mutex) == SKEIN_ELOCK);
    CHECK(skein_global_barrier_wait(mutex) == SKEIN_ETHREAD); /* a handle of another kind */

    skein_shared volatile int *result = skein_shared_alloc(0, sizeof(int));
    skein_thread_t waiter = skein_spawn(is_told, mutex, result, 1);
    while (*result != -1)
      skein_yield();
    usleep(20000); /* its request is on its way */
    CHECK(skein_global_free(mutex) == SKEIN_OK && skein_join(waiter) == SKEIN_OK && *result == SKEIN_ETHREAD);
    CHECK(skein_global_free(mutex) == SKEIN_ETHREAD && skein_global_free(changed) == SKEIN_OK);

    skein_shared int *at = skein_shared_alloc(home, 16 * count * sizeof(int));
    skein_global_barrier_t barrier = skein_global_barrier_create(home, count);
    for (int i = 0; i < count; i++)
      threads[i] = skein_spawn(meets, barrier, at, i);
    for (int i = 0; i < count; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);

    skein_reduction_t reduction = skein_reduction_create(home, count);
    for (int i = 0; i < count; i++)
      threads[i] = skein_spawn(combines, reduction, i);
    for (int i = 0; i < count; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
    int64_t zero = 0;
    CHECK(skein_reduce_int64(reduction, 7, &zero, 1) == SKEIN_EREFUSED);

    skein_global_latch_t latch = skein_global_latch_create(home, count);
    skein_global_future_t future = skein_global_future_create(home);
    skein_shared int *done = skein_shared_alloc(0, 16 * count * sizeof(int));
    for (int i = 0; i < count; i++)
      threads[i] = skein_spawn(awaits, latch, future, done, i);
    double value[5] = {0, 0, 0, 2.5, 0};
    CHECK(skein_global_future_set(future, value, sizeof value) == SKEIN_OK);
    CHECK(skein_global_future_set(future, value, sizeof value) == SKEIN_ELOCK);
    CHECK(skein_global_latch_wait(latch) == SKEIN_OK);
    for (int i = 0; i < count; i++)
      CHECK(done[16 * i] == 1);
    for (int i = 0; i < count; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
  }
  skein_shared uint64_t *handles = skein_shared_alloc(0, (size_t)nodes * sizeof *handles);
  skein_thread_t threads[8];
  for (int i = 0; i < nodes; i++)
    threads[i] = skein_spawn(makes, handles, i);
  for (int i = 0; i < nodes; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  for (int i = 0; i < nodes; i++)
    CHECK(handles[i] == handles[0] && (int)(handles[i] >> 40) == nodes - 1);
  gl_sema_t *sema = (gl_sema_t *)(uintptr_t)handles[0];
  CHECK(gl_sema_trywait(sema) == 1 && gl_sema_trywait(sema) == 0);
  CHECK(!skein_global_mutex_create(99));
  return 0;
}
