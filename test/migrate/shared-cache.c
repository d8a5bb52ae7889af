/* Copies of shared memory: threads that write neighbouring bytes lose none; a table far larger than the room for copies
 * is right under random reads and writes of one thread that moves; locks, joins and spawns carry what was written; a
 * table that does not change is read from here; large copies, fills and atomic operations see what is kept back. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs -I%root/runtime %s -o %t
// RUN: env SKEIN_OPTIONS=shared=remote,shared_cache=32K %run -n 3 --timeout 60 %t 3
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=50 %run -n 3 --timeout 60 %t 3
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 60 %t 2
// RUN: %run -n 2 --timeout 60 %t 3

#include "abi/entry_points.h"
#include "check.h"
#include <skein/global.h>
#include <skein/shared_cache.h>

static uint32_t random_next(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  return *state ^= *state << 5;
}

enum { parties = 6, bytes = 3000, rounds = 6 };

/* Each thread writes every sixth byte, and after the barrier all threads read all bytes. */
static void neighbours(skein_shared unsigned char *block, skein_global_barrier_t barrier, int i) {
  skein_push_self(i % skein_nodes());
  for (int round = 0; round < rounds; round++) {
    for (int at = i; at < bytes; at += parties)
      block[at] = (unsigned char)(at * 3 + round);
    CHECK(skein_global_barrier_wait(barrier) == SKEIN_OK);
    for (int at = 0; at < bytes; at++)
      CHECK(block[at] == (unsigned char)(at * 3 + round));
    CHECK(skein_global_barrier_wait(barrier) == SKEIN_OK);
    if (round % 2)
      skein_push_self((skein_node() + 1) % skein_nodes());
  }
}

enum { words = 30000, steps = 4000 };
static uint32_t model[words]; /* of node 0 */

static void against_a_model(skein_shared uint32_t *table) {
  uint32_t random = 99;
  for (int step = 0; step < steps; step++) {
    uint32_t at = random_next(&random) % (step % 3 ? words : 600), value = random_next(&random);
    int kind = (int)(random_next(&random) % 100);
    if (kind < 50) {
      table[at] = value;
      model[at] = value;
    } else if (kind < 95) {
      CHECK(table[at] == model[at]);
    } else if (kind < 96) {
      uint32_t count = 1 + value % 3000;
      if (at + count > words)
        count = words - at;
      uint32_t copy[3000];
      __skein_shared_get(copy, (uint64_t)(table + at), count * sizeof *copy);
      CHECK(memcmp(copy, model + at, count * sizeof *copy) == 0);
      for (uint32_t i = 0; i < count; i++)
        copy[i] = model[at + i] = value + i;
      __skein_shared_put((uint64_t)(table + at), copy, count * sizeof *copy);
    } else if (kind < 97) {
      uint32_t count = 1 + value % 300;
      if (at + count > words)
        count = words - at;
      __skein_shared_set((uint64_t)(table + at), (int)(value & 0xff), count * sizeof *model);
      memset(model + at, (int)(value & 0xff), count * sizeof *model);
    } else if (kind < 98) {
      CHECK((uint32_t)__skein_shared_atomic((uint64_t)(table + at), value, 0, SKEIN_ATOMIC_ADD | 4 << 8) == model[at]);
      model[at] += value;
    } else if (kind < 99) {
      uint32_t other = random_next(&random) % (words - 500), count = value % 500;
      if (at > words - 500)
        at = words - 500;
      __skein_shared_copy((uint64_t)(table + at), (uint64_t)(table + other), count * sizeof *model);
      memmove(model + at, model + other, count * sizeof *model);
    } else { /* there and back, since the model stays at node 0 */
      skein_push_self(1 % skein_nodes());
      uint32_t seen = table[at];
      table[at] = seen + 1;
      skein_push_self(0);
      CHECK(seen == model[at]);
      model[at]++;
    }
  }
  for (uint32_t i = 0; i < words; i++)
    CHECK(table[i] == model[i]);
}

static void counts(skein_shared long *counter, skein_global_mutex_t mutex, int i) {
  skein_push_self(i % skein_nodes());
  for (int round = 0; round < 20; round++) {
    skein_global_mutex_lock(mutex);
    ++*counter;
    skein_global_mutex_unlock(mutex);
  }
}

static void child(skein_shared long *values, int i) {
  skein_push_self((i + 1) % skein_nodes());
  CHECK(values[i] == i + 1000);
  values[i] = i + 2000;
}

static void parent(skein_shared long *values, int i) {
  skein_push_self(i % skein_nodes());
  values[i] = i + 1000;
  CHECK(skein_join(skein_spawn(child, values, i)) == SKEIN_OK);
  CHECK(values[i] == i + 2000);
}

int main(int argc, char **argv) {
  skein_stealing_set(0);
  enum skein_cache mode = argc > 1 ? (enum skein_cache)atoi(argv[1]) : SKEIN_CACHE_BACK;
  int nodes = skein_nodes(), last = nodes - 1;
  skein_thread_t threads[parties];

  skein_shared unsigned char *block = skein_shared_alloc(last, bytes);
  CHECK(skein_shared_cache(block, bytes, mode) == SKEIN_OK);
  skein_global_barrier_t barrier = skein_global_barrier_create(0, parties);
  for (int i = 0; i < parties; i++)
    threads[i] = skein_spawn(neighbours, block, barrier, i);
  for (int i = 0; i < parties; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);

  skein_shared uint32_t *table = skein_shared_alloc(last, words * sizeof *table);
  CHECK(skein_shared_cache(table, words * sizeof *table, mode) == SKEIN_OK);
  CHECK(skein_join(skein_spawn(against_a_model, table)) == SKEIN_OK);

  skein_shared long *counter = skein_shared_alloc(last, sizeof *counter);
  CHECK(skein_shared_cache(counter, sizeof *counter, mode) == SKEIN_OK);
  skein_global_mutex_t mutex = skein_global_mutex_create(0);
  for (int i = 0; i < parties; i++)
    threads[i] = skein_spawn(counts, counter, mutex, i);
  for (int i = 0; i < parties; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  CHECK(*counter == 20 * parties);

  skein_shared long *values = skein_shared_alloc(last, parties * sizeof *values);
  CHECK(skein_shared_cache(values, parties * sizeof *values, mode) == SKEIN_OK);
  for (int i = 0; i < parties; i++)
    threads[i] = skein_spawn(parent, values, i);
  for (int i = 0; i < parties; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  for (int i = 0; i < parties; i++)
    CHECK(values[i] == i + 2000);

  CHECK(skein_shared_cache(table, words * sizeof *table, SKEIN_CACHE_CONSTANT) == SKEIN_OK);
  skein_shared_prefetch(table, 8192);
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < words; i++)
      CHECK(table[i] == model[i]);
  CHECK(skein_shared_free(table) == SKEIN_EPOINTER && strstr(skein_error_text(), "is cached"));
  CHECK(skein_shared_cache(table, words * sizeof *table, SKEIN_CACHE_NONE) == SKEIN_OK);
  CHECK(skein_shared_free(table) == SKEIN_OK);
  CHECK(skein_shared_cache((skein_shared void *)8, 8, mode) == SKEIN_EPOINTER);
  CHECK(skein_shared_cache(table, 8, mode) == SKEIN_EPOINTER); /* freed */
  return 0;
}
