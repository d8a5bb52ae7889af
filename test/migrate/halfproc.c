/* Half-processes: each has variables and a heap of its own, which move with it, and all share one range of addresses.
 */

// RUN: %skeincc -O2 -fskein-globals=private -fskein-heap=private -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: %t | FileCheck %s
// RUN: %run -n 2 --timeout 60 %t | FileCheck %s
// RUN: %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=image=any,stacks=relocate %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 60 %t | FileCheck %s
// CHECK: locked twice: {{.*}}
// CHECK-NEXT: not initialised: {{.*}}
// CHECK-NEXT: other mutex: halfproc_cond_wait: the condition belongs to another mutex
// CHECK-NEXT: no block: halfproc_realloc: 0x{{.*}} is no block of halfproc_malloc
// CHECK-NEXT: freed twice: {{.*}}
// CHECK-NEXT: no node: {{.*}}
// CHECK-NEXT: all half-processes are right

#include "check.h"
#include <skein/halfproc.h>

enum { threads = 12, rounds = 40 };

struct entry {
  skein_shared struct entry *next;
  int writer, round;
};

struct common {
  halfproc_mutex_t mutex;
  halfproc_cond_t all_there, queue_grew;
  skein_shared struct entry *first;
  int there, entries;
};

struct part {
  skein_shared struct common *common;
  int number;
};

static int calls;   /* each thread's own: it counts its own rounds only */
static char *diary; /* in the heap of the thread */

static void note(int round) {
  calls++;
  diary = realloc(diary, (size_t)calls);
  CHECK(diary);
  diary[calls - 1] = (char)(round * 3);
}

/* Each waits for all, then puts an entry into the list that they share, and goes to the next node. */
static skein_shared void *works(skein_shared void *argument) {
  const struct part mine = *(skein_shared struct part *)argument;
  skein_shared struct common *common = mine.common;
  CHECK(calls == 0 && !diary);
  CHECK(halfproc_mutex_lock(&common->mutex) == SKEIN_OK);
  common->there++;
  CHECK(halfproc_cond_broadcast(&common->all_there) == SKEIN_OK);
  while (common->there < threads)
    CHECK(halfproc_cond_wait(&common->all_there, &common->mutex) == SKEIN_OK);
  CHECK(halfproc_mutex_unlock(&common->mutex) == SKEIN_OK);
  for (int round = 0; round < rounds; round++) {
    note(round);
    skein_shared struct entry *entry = halfproc_malloc(sizeof *entry);
    CHECK(entry && (uint64_t)entry % 16 == 0 && skein_shared_node(entry) == skein_node());
    entry->writer = mine.number;
    entry->round = round;
    CHECK(halfproc_mutex_lock(&common->mutex) == SKEIN_OK);
    if (round % 5 == mine.number % 5) /* the mutex comes along */
      CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
    entry->next = common->first;
    common->first = entry;
    common->entries++;
    CHECK(halfproc_cond_signal(&common->queue_grew) == SKEIN_OK);
    CHECK(halfproc_mutex_unlock(&common->mutex) == SKEIN_OK);
    if (round % 3 == 0)
      CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
  }
  CHECK(calls == rounds);
  for (int round = 0; round < rounds; round++)
    CHECK(diary[round] == (char)(round * 3));
  free(diary);
  skein_shared int *result = halfproc_malloc(sizeof *result);
  *result = mine.number * 1000 + calls;
  return result;
}

/* Takes all entries, in whatever order the threads have put them, and frees them, wherever they were made. */
static skein_shared void *takes(skein_shared void *argument) {
  skein_shared struct common *common = argument;
  int seen[threads][rounds];
  memset(seen, 0, sizeof seen);
  for (int taken = 0; taken < threads * rounds; taken++) {
    CHECK(halfproc_mutex_lock(&common->mutex) == SKEIN_OK);
    while (!common->first)
      CHECK(halfproc_cond_wait(&common->queue_grew, &common->mutex) == SKEIN_OK);
    skein_shared struct entry *entry = common->first;
    common->first = entry->next;
    CHECK(halfproc_mutex_unlock(&common->mutex) == SKEIN_OK);
    seen[entry->writer][entry->round]++;
    CHECK(halfproc_free(entry) == SKEIN_OK);
  }
  for (int i = 0; i < threads; i++)
    for (int j = 0; j < rounds; j++)
      CHECK(seen[i][j] == 1);
  return NULL;
}

static void grows(void) {
  skein_shared int *numbers = NULL;
  for (int count = 1; count <= 4096; count *= 4) {
    numbers = halfproc_realloc(numbers, (size_t)count * sizeof *numbers);
    CHECK(numbers);
    for (int i = count / 4; i < count; i++)
      numbers[i] = i;
    CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
    for (int i = 0; i < count; i++)
      CHECK(numbers[i] == i);
  }
  numbers = halfproc_realloc(numbers, 10 * sizeof *numbers);
  for (int i = 0; i < 10; i++)
    CHECK(numbers[i] == i);
  CHECK(halfproc_free(numbers) == SKEIN_OK);
  CHECK(halfproc_free(NULL) == SKEIN_OK);
  CHECK(!halfproc_malloc(SIZE_MAX - 4) && *skein_error_text());
  CHECK(skein_push_self(0) == SKEIN_OK);
}

static void errors(skein_shared struct common *common) {
  CHECK(halfproc_mutex_lock(&common->mutex) == SKEIN_OK);
  CHECK(halfproc_mutex_trylock(&common->mutex) != SKEIN_OK);
  CHECK(halfproc_mutex_lock(&common->mutex) == SKEIN_ELOCK);
  printf("locked twice: %s\n", skein_error_text());
  CHECK(halfproc_mutex_destroy(&common->mutex) == SKEIN_EBUSY);
  skein_shared halfproc_mutex_t *other = halfproc_malloc(sizeof *other);
  other->id = 0;
  CHECK(halfproc_mutex_lock(other) == SKEIN_ETHREAD);
  printf("not initialised: %s\n", skein_error_text());
  CHECK(halfproc_mutex_init(other) == SKEIN_OK);
  CHECK(halfproc_mutex_unlock(other) == SKEIN_ELOCK);
  CHECK(halfproc_mutex_lock(other) == SKEIN_OK);
  CHECK(halfproc_cond_wait(&common->all_there, other) == SKEIN_ELOCK);
  printf("other mutex: %s\n", skein_error_text());
  CHECK(halfproc_mutex_unlock(other) == SKEIN_OK);
  CHECK(halfproc_mutex_destroy(other) == SKEIN_OK);
  CHECK(halfproc_mutex_lock(other) == SKEIN_ETHREAD);
  skein_shared char *plain = skein_shared_alloc(0, 64);
  CHECK(!halfproc_realloc(plain + 16, 100));
  printf("no block: %s\n", skein_error_text());
  CHECK(halfproc_free(other) == SKEIN_OK);
  CHECK(halfproc_free(other) == SKEIN_EPOINTER);
  printf("freed twice: %s\n", skein_error_text());
  halfproc_t none;
  const struct skein_attributes nowhere = {.node = SKEIN_ON(9)};
  CHECK(halfproc_create(&none, &nowhere, takes, common) == SKEIN_EREFUSED);
  printf("no node: %s\n", skein_error_text());
  CHECK(halfproc_mutex_unlock(&common->mutex) == SKEIN_OK);
}

int main(void) {
  setvbuf(stdout, 0, _IONBF, 0);
  calls = 77; /* main's own */
  skein_shared struct common *common = halfproc_malloc(sizeof *common);
  CHECK(common && halfproc_mutex_init(&common->mutex) == SKEIN_OK);
  CHECK(halfproc_cond_init(&common->all_there) == SKEIN_OK && halfproc_cond_init(&common->queue_grew) == SKEIN_OK);
  common->first = NULL;
  common->there = common->entries = 0;
  skein_shared struct part *parts = halfproc_malloc(threads * sizeof *parts);
  halfproc_t taker, all[threads];
  CHECK(halfproc_create(&taker, NULL, takes, common) == SKEIN_OK);
  for (int i = 0; i < threads; i++) {
    parts[i].common = common;
    parts[i].number = i;
    const struct skein_attributes there = {.node = SKEIN_ON(i % skein_nodes())};
    CHECK(halfproc_create(&all[i], &there, works, parts + i) == SKEIN_OK);
  }
  for (int i = 0; i < threads; i++) {
    skein_shared void *result;
    CHECK(halfproc_join(all[i], &result) == SKEIN_OK);
    CHECK(*(skein_shared int *)result == i * 1000 + rounds);
    CHECK(halfproc_free(result) == SKEIN_OK);
  }
  CHECK(halfproc_join(taker, NULL) == SKEIN_OK);
  CHECK(calls == 77 && common->entries == threads * rounds);
  halfproc_t forgotten;
  CHECK(halfproc_create(&forgotten, NULL, works, parts) == SKEIN_OK && halfproc_detach(forgotten) == SKEIN_OK);
  CHECK(halfproc_join(forgotten, NULL) == SKEIN_OK);
  grows();
  errors(common);
  CHECK(halfproc_cond_destroy(&common->all_there) == SKEIN_OK);
  CHECK(halfproc_cond_destroy(&common->queue_grew) == SKEIN_OK);
  CHECK(halfproc_mutex_destroy(&common->mutex) == SKEIN_OK);
  CHECK(halfproc_free(parts) == SKEIN_OK && halfproc_free(common) == SKEIN_OK);
  printf("all half-processes are right\n");
  return 0;
}
