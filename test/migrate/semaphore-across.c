/* A semaphore is one for all nodes: waiters on all nodes, signals from all nodes, and none is lost, even if the thread
 * that signals leaves at once. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 30 %t
// RUN: %run -n 3 --timeout 30 --transport tcp %t
// RUN: %run -n 1 %t

#include "check.h"

enum { rounds = 200 };

static void producer(int node, skein_semaphore_t items) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (int i = 0; i < rounds; i++) {
    CHECK(skein_semaphore_signal(items) == SKEIN_OK);
    if (i % 20 == 0)
      CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
  }
}

static void consumer(int node, skein_semaphore_t items, skein_shared int *taken) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (int i = 0; i < rounds; i++) {
    CHECK(skein_semaphore_wait(items) == SKEIN_OK);
    ++*taken; /* its own counter */
  }
}

static void stranded(skein_semaphore_t semaphore, skein_shared int *result) {
  CHECK(skein_push_self(skein_nodes() - 1) == SKEIN_OK);
  *result = -1;
  *result = skein_semaphore_wait(semaphore);
  CHECK(strstr(skein_error_text(), "freed"));
}

int main(void) {
  int nodes = skein_nodes();
  for (int home = 0; home < 2; home++) {
    skein_semaphore_t items = skein_semaphore_create(0);
    skein_thread_t threads[64];
    skein_shared int *taken = skein_shared_alloc(nodes - 1, 64 * 16 * sizeof(int));
    int count = 0;
    for (int node = 0; node < nodes; node++) {
      threads[count++] = skein_spawn(producer, node, items);
      threads[count++] = skein_spawn(consumer, node, items, taken + 16 * node);
    }
    for (int i = 0; i < count; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
    for (int node = 0; node < nodes; node++)
      CHECK(taken[16 * node] == rounds);
    CHECK(skein_semaphore_free(items) == SKEIN_OK);
    CHECK(skein_semaphore_wait(items) == SKEIN_ETHREAD);

    skein_shared int *result = skein_shared_alloc(0, sizeof(int));
    skein_semaphore_t never = skein_semaphore_create(0);
    skein_thread_t waiter = skein_spawn(stranded, never, result);
    while (*(volatile skein_shared int *)result != -1)
      skein_yield();
    usleep(20000); /* its request is on its way */
    CHECK(skein_semaphore_free(never) == SKEIN_OK);
    CHECK(skein_join(waiter) == SKEIN_OK);
    CHECK(*result == SKEIN_ETHREAD);
    CHECK(skein_push_self(nodes - 1) == SKEIN_OK); /* the same with semaphores that live there */
  }
  return 0;
}
