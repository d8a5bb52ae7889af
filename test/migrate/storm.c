/* Many threads hop at random, spawn, join, wait and signal, while idle workers steal: nothing is lost, doubled or
 * forgotten. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 60 %t
// RUN: %run -n 4 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 3 --timeout 60 %t
// RUN: %run -n 3 --timeout 60 --transport tcp %t
// RUN: env SKEIN_OPTIONS=workers=3,shared=remote %run -n 2 --timeout 60 %t

#include "check.h"

enum { thread_count = 60, hops = 60 };

struct walk {
  unsigned random;
  long sum;
  long *target; /* into the frame above */
};

static unsigned next(struct walk *walk) { return walk->random = walk->random * 1664525u + 1013904223u; }

static void child(skein_shared long *to, long value) {
  if (value % 3 == 0)
    CHECK(skein_push_self((int)(value % skein_nodes())) == SKEIN_OK);
  *to = value;
}

static void hop(struct walk *walk, int depth) {
  long here = depth;
  struct walk inner = {walk->random, 0, &here};
  if (depth > 0) {
    hop(&inner, depth - 1);
    walk->random = inner.random;
  } else {
    CHECK(skein_push_self((int)(next(walk) >> 8) % skein_nodes()) == SKEIN_OK);
  }
  CHECK(here == depth + (depth > 0)); /* the frame below has counted through its pointer */
  *walk->target += 1;
}

static void wanderer(int number, skein_shared long *result, skein_semaphore_t turnstile) {
  long steps = 0;
  struct walk walk = {(unsigned)number * 7919u + 1, 0, &steps};
  for (int i = 0; i < hops; i++) {
    hop(&walk, (int)(next(&walk) >> 8) % 12);
    switch ((next(&walk) >> 8) % 4) {
    case 0:
      CHECK(skein_join(skein_spawn(child, result + 1, (long)i)) == SKEIN_OK);
      CHECK(result[1] == i);
      break;
    case 1:
      CHECK(skein_semaphore_wait(turnstile) == SKEIN_OK);
      CHECK(skein_semaphore_signal(turnstile) == SKEIN_OK);
      break;
    case 2:
      skein_yield();
      break;
    default:
      break;
    }
  }
  *result = steps;
}

int main(void) {
  skein_shared long *results = skein_shared_alloc(skein_nodes() - 1, thread_count * 8 * sizeof(long));
  skein_semaphore_t turnstile = skein_semaphore_create(3);
  skein_thread_t threads[thread_count];
  for (int i = 0; i < thread_count; i++)
    threads[i] = skein_spawn(wanderer, i, results + 8 * i, turnstile);
  for (int i = 0; i < thread_count; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  for (int i = 0; i < thread_count; i++)
    CHECK(results[8 * i] == hops);
  uint64_t sent = 0, received = 0, spawned = 0, ended = 0;
  for (int node = 0; node < skein_nodes(); node++) {
    struct skein_statistics one;
    CHECK(skein_statistics_get(node, &one) == SKEIN_OK);
    sent += one.threads_sent, received += one.threads_received;
    spawned += one.threads_spawned, ended += one.threads_ended;
  }
  CHECK(spawned >= thread_count && received >= thread_count * hops / 4);
  printf("%llu moves, %llu threads\n", (unsigned long long)received, (unsigned long long)spawned);
  (void)sent, (void)ended; /* verdicts of the last moves may still be on their way */
  return 0;
}
