/* Small accesses of many threads to memory of other nodes share messages. Each gets its own result, of any size and
 * kind, and one that meets no block ends its own thread and no other. With delays nothing is answered at once, and
 * messages overtake each other. Threads that one message answers become ready at once, whatever bundles they are in. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs -I%root/runtime %s -o %t
// RUN: env SKEIN_OPTIONS=shared=remote,workers=1 %run -n 2 --timeout 60 %t 200 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote,workers=2 %run -n 3 --timeout 60 %t 100 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=50 %run -n 3 --timeout 60 %t 20 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote,workers=1 \
// RUN:   %run -n 2 --timeout 60 --transport tcp %t 50 2>&1 | FileCheck %s
// CHECK-COUNT-5: wrote 4 bytes of shared memory at 0x{{.*}}: that is 32 bytes behind the end of the block of 64 bytes
// CHECK: 43 threads are right, 5 ended

#include "abi/entry_points.h"
#include "check.h"
#include <skein/bundle.h>
#include <skein/shared_copy.h>
#include <string.h>

enum { threads = 48, most = 600 }; /* more than fits into a parcel */

struct mine {
  _Alignas(64) unsigned char bytes[most]; /* each thread has its own */
  unsigned done;
};
struct ours {
  unsigned long sum, right;
};
typedef skein_shared struct mine mine;
typedef volatile skein_shared struct ours ours;

static void works(mine *all, ours *common, skein_shared int *wild, int number, int rounds) {
  mine *m = all + number;
  unsigned char here[most];
  memset(here, 0, sizeof here);
  unsigned state = 7u * (unsigned)number + 1;
  for (int i = 0; i < rounds; i++) {
    state = state * 1664525u + 1013904223u;
    const size_t size = state >> 28 ? 1 + (state >> 8) % 40 : 1 + (state >> 8) % most,
                 at = (state >> 16) % (most - size + 1);
    unsigned char piece[most];
    __skein_shared_get(piece, (uint64_t)m->bytes + at, size);
    CHECK(memcmp(piece, here + at, size) == 0);
    memset(piece, (int)(state >> 20), size);
    memcpy(here + at, piece, size);
    __skein_shared_put((uint64_t)m->bytes + at, piece, size);
    if (state >> 31)
      __atomic_fetch_add(&common->sum, 1, __ATOMIC_RELAXED);
    else
      CHECK(__atomic_fetch_add(&m->done, 2, __ATOMIC_SEQ_CST) % 2 == 0);
    if (i == rounds / 2 && number % 10 == 1)
      *wild = 7;
    if (state % 16 == 0)
      skein_yield();
  }
  __atomic_fetch_add(&common->right, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&common->sum, __atomic_load_n(&m->done, __ATOMIC_RELAXED) / 2, __ATOMIC_SEQ_CST);
}

/* Copies that are started share messages, too. An error of one is reported to the thread that waits for it. */
static void starts(void) {
  enum { copies = 300, length = 512 };
  skein_shared unsigned char *there = skein_shared_alloc(1, copies * length), *freed = skein_shared_alloc(1, 64);
  unsigned char *here = malloc(2 * copies * length), *back = here + copies * length;
  for (size_t i = 0; i < copies * length; i++)
    here[i] = (unsigned char)(i * 31 >> 3);
  for (size_t i = 0; i < copies; i++) /* the rest stays 0 */
    skein_pending_forget(skein_shared_put_start(there + i * length, here + i * length, 1 + i * 37 % length));
  CHECK(skein_shared_flush() == SKEIN_OK);
  for (size_t i = 0; i < copies; i++)
    skein_pending_forget(skein_shared_get_start(back + i * length, there + i * length, length));
  CHECK(skein_shared_flush() == SKEIN_OK);
  for (size_t i = 0; i < copies; i++)
    for (size_t j = 0; j < length; j++)
      CHECK(back[i * length + j] == (j <= i * 37 % length ? here[i * length + j] : 0));
  CHECK(skein_shared_free(freed) == SKEIN_OK);
  skein_pending_t good = skein_shared_get_start(back, there, 8), bad = skein_shared_get_start(back, freed, 8),
                  worse = skein_shared_put_start(freed, here, 3);
  CHECK(skein_pending_wait(bad) == SKEIN_EPOINTER);
  CHECK(strstr(skein_error_text(), "read 8 bytes of shared memory") && strstr(skein_error_text(), "has been freed"));
  CHECK(skein_pending_wait(worse) == SKEIN_EPOINTER && strstr(skein_error_text(), "wrote 3 bytes"));
  CHECK(skein_pending_wait(good) == SKEIN_OK);
  free(here);
}

static unsigned long together; /* threads that became ready with another */

static void all_unblocked(struct skein_bundle *bundle, struct skein_tcb *const *ready, unsigned count,
                          unsigned worker) {
  for (unsigned i = 0; i < count; i++)
    skein_bundle_fifo.thread_unblocked(bundle, ready[i], worker);
  if (count > 1)
    __atomic_fetch_add(&together, count, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  const int rounds = atoi(argv[argc - 1]);
  skein_stealing_set(0);
  starts();
  mine *all = skein_shared_alloc(1, threads * sizeof *all);
  ours *common = skein_shared_alloc(skein_nodes() - 1, sizeof *common);
  skein_shared int *block = skein_shared_alloc(1, 64);
  CHECK(skein_shared_alloc(1, 64)); /* lies after it */
  static struct skein_bundle_events events;
  events = skein_bundle_fifo;
  events.threads_unblocked = all_unblocked;
  struct skein_bundle *bundles[] = {NULL, skein_bundle_create("one by one", &skein_bundle_fifo, NULL),
                                    skein_bundle_create("all at once", &events, NULL)};
  CHECK(bundles[1] && bundles[2]);
  skein_thread_t each[threads];
  for (int i = 0; i < threads; i++) {
    struct skein_attributes how = {.bundle = bundles[i / 16], .worker = i % 8 == 5 ? SKEIN_ON(0) : 0};
    each[i] = skein_spawn_with(&how, works, all, common, block + 24, i, rounds);
  }
  for (int i = 0; i < threads; i++)
    CHECK(skein_join(each[i]) == SKEIN_OK);
  unsigned long sum = common->sum;
  for (int i = 1; i < threads; i += 10) /* those that ended early have not added theirs */
    sum += all[i].done / 2;
  CHECK(sum == (unsigned long)(threads - 5) * (unsigned long)rounds + 5ul * (unsigned long)(rounds / 2 + 1));
  CHECK(together > 1);
  printf("%lu threads are right, %d ended\n", common->right, 5);
  return 0;
}
