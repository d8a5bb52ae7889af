/* All of C does through pointers to shared memory what it does through others. Every operation below is done on a
 * shared object and on its plain twin, on each node, mapped and by messages, and then both must be the same. */

// RUN: %skeincc -std=gnu2x -mcx16 -O0 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 2 --timeout 60 %t
// RUN: %skeincc -std=gnu2x -mcx16 -O3 -fskein-polls=loops -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 60 %t
// RUN: %skeincc -std=gnu2x -mcx16 -O3 -march=x86-64-v3 -fskein-stress=calls -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 2 --timeout 60 %t

#include "check.h"

#include <complex.h>
#include <stdatomic.h>
#include <string.h>

typedef float four __attribute__((vector_size(16)));
typedef short packed_shorts __attribute__((vector_size(8), aligned(2)));

enum { many = 37 };

struct inner {
  char c;
  short s;
};

struct all {
  int number;
  unsigned three : 3, eleven : 11;
  signed long far : 40;
  bool yes;
  long double precise;
  double complex point;
  four vector;
  __int128 wide;
  struct inner inner[3];
  struct __attribute__((packed)) {
    char off;
    double unaligned;
    int also;
  } tight;
  union {
    float f;
    unsigned bits;
  } either;
  double row[many];
  int picks[many];
  char text[64];
  _Atomic int counter;
  _Atomic double sum;
  _Atomic(struct inner) both;
  unsigned char a1;
  unsigned short a2;
  unsigned a4;
  unsigned long a8;
  float af;
};

/* The operations, for pointers of either kind. */
#define OPERATIONS(NAME, KIND)                                                                                         \
  static __attribute__((noinline)) double NAME(KIND struct all *p, int n, const int *order) {                          \
    p->number = 5;                                                                                                     \
    p->number += p->number++ * 3 - --p->number;                                                                        \
    p->three = (unsigned)n;                                                                                            \
    p->eleven = p->three * 100u;                                                                                       \
    p->far = -(1L << 38) + n;                                                                                          \
    p->yes = !p->yes;                                                                                                  \
    p->precise = p->precise * 3 + 1.5L;                                                                                \
    p->point = p->point * (2 + 3 * I) + n;                                                                             \
    __real__ p->point += 1;                                                                                            \
    p->vector = p->vector * 2 + (four){1, 2, 3, 4};                                                                    \
    p->vector[n & 3] += 8;                                                                                             \
    p->wide = (p->wide << 70) + n;                                                                                     \
    for (KIND struct inner *i = p->inner; i < p->inner + 3; i++)                                                       \
      i->s = (short)(i->c++ + (i - p->inner));                                                                         \
    p->inner[0] = p->inner[2];                                                                                         \
    p->tight.unaligned += 0.25;                                                                                        \
    p->tight.also ^= n;                                                                                                \
    p->either.f = (float)n;                                                                                            \
    double sum = p->either.bits;                                                                                       \
    KIND double *row = p->row;                                                                                         \
    for (int i = 0; i < many; i++)                                                                                     \
      row[i] = row[i] * 0.5 + i;                                                                                       \
    for (int i = 0; i < many; i++)                                                                                     \
      p->picks[i] = n > i ? p->picks[order[i]] + 1 : p->picks[many - 1 - i];                                           \
    for (KIND double *d = row + many; d-- > row;)                                                                      \
      sum += *d;                                                                                                       \
    for (int i = 0; i < many; i++)                                                                                     \
      if (order[i] & 1)                                                                                                \
        row[i] += p->picks[i];                                                                                         \
    KIND struct all *q = n ? p : NULL;                                                                                 \
    if (q == p && q && !(q != p) && sizeof *q == sizeof(struct all))                                                   \
      sum += (double)((KIND char *)&q->text - (KIND char *)q);                                                         \
    struct all copy = *p;                                                                                              \
    copy.number++;                                                                                                     \
    struct inner part = p->inner[1];                                                                                   \
    part.s = (short)(part.s + 1);                                                                                      \
    p->inner[1] = part;                                                                                                \
    p->number = copy.number;                                                                                           \
    memcpy(p->text + 3, "abcdefgh", 9);                                                                                \
    memmove(p->text + 5, p->text + 3, 9);                                                                              \
    memset(p->text + 30, n, 7);                                                                                        \
    memset(p->text + 40, 'x', (size_t)n & 7);                                                                          \
    char back[64];                                                                                                     \
    memcpy(back, p->text, sizeof back);                                                                                \
    sum += back[6] + back[31];                                                                                         \
    p->counter++;                                                                                                      \
    p->counter += n;                                                                                                   \
    sum += atomic_fetch_or(&p->counter, 64) + atomic_exchange(&p->counter, p->counter - 1);                            \
    int expected = p->counter;                                                                                         \
    sum += atomic_compare_exchange_strong(&p->counter, &expected, expected * 2);                                       \
    expected = -7;                                                                                                     \
    sum += atomic_compare_exchange_strong(&p->counter, &expected, 3) + expected;                                       \
    p->sum += 1.25;                                                                                                    \
    p->sum *= 2;                                                                                                       \
    struct inner twice = atomic_load(&p->both);                                                                        \
    twice.c++;                                                                                                         \
    atomic_store(&p->both, twice);                                                                                     \
    sum += __sync_fetch_and_nand(&p->a1, 5) + __sync_val_compare_and_swap(&p->a2, 0, 77);                              \
    sum += __atomic_fetch_max(&p->a4, 9u, __ATOMIC_ACQ_REL) + __atomic_fetch_min((KIND int *)&p->a4, -2, 0);           \
    sum += (double)__atomic_add_fetch(&p->a8, 1UL << 33, __ATOMIC_SEQ_CST);                                            \
    sum += (double)__atomic_xor_fetch(&p->a8, 0xff, __ATOMIC_RELEASE) + __atomic_sub_fetch(&p->a2, 3, 0);              \
    sum += __atomic_fetch_add(&p->af, 1.5f, __ATOMIC_RELAXED) + __atomic_fetch_sub(&p->af, 0.25f, 0);                  \
    sum += (double)__atomic_fetch_and(&p->a8, ~3UL, 0) + __atomic_exchange_n(&p->a1, 11, __ATOMIC_ACQUIRE);            \
    __atomic_store_n(&p->a2, 9, __ATOMIC_RELEASE);                                                                     \
    sum += __atomic_load_n(&p->a2, __ATOMIC_ACQUIRE) + (*(volatile KIND int *)&p->number)++;                           \
    __int128 wide = __atomic_exchange_n(&p->wide, 3, __ATOMIC_SEQ_CST);                                                \
    sum += (double)(wide >> 60) + (double)__atomic_fetch_add(&p->wide, wide, __ATOMIC_SEQ_CST);                        \
    atomic_thread_fence(memory_order_seq_cst);                                                                         \
    return sum;                                                                                                        \
  }

#define PLAIN
OPERATIONS(on_plain, PLAIN)
OPERATIONS(on_shared, shared)

static void work(shared struct all *p, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  struct all twin;
  memset(&twin, 0, sizeof twin);
  *p = twin;
  int order[many];
  for (int i = 0; i < many; i++)
    order[i] = i * 5 % many;
  for (int n = 0; n < 12; n++) {
    CHECK(on_plain(&twin, n, order) == on_shared(p, n, order));
    CHECK(p->number == twin.number && p->three == twin.three && p->eleven == twin.eleven && p->far == twin.far);
    CHECK(p->yes == twin.yes && p->precise == twin.precise && p->point == twin.point && p->wide == twin.wide);
    for (int i = 0; i < 4; i++)
      CHECK(p->vector[i] == twin.vector[i]);
    CHECK(p->tight.unaligned == twin.tight.unaligned && p->tight.also == twin.tight.also);
    for (int i = 0; i < many; i++)
      CHECK(p->row[i] == twin.row[i] && p->picks[i] == twin.picks[i]);
    for (int i = 0; i < 64; i++)
      CHECK(p->text[i] == twin.text[i]);
    for (int i = 0; i < 3; i++)
      CHECK(p->inner[i].c == twin.inner[i].c && p->inner[i].s == twin.inner[i].s);
    CHECK(p->counter == twin.counter && p->sum == twin.sum && p->a8 == twin.a8 && p->af == twin.af);
    skein_push_self((skein_node() + 1) % skein_nodes());
  }
}

/* All nodes add at once: an addition that is no single operation loses some. */
static void add(shared struct all *p, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (int i = 0; i < 300; i++) {
    p->counter++;
    __atomic_fetch_add(&p->af, 1.0f, __ATOMIC_RELAXED);
    __atomic_fetch_add(&p->a8, 3, __ATOMIC_RELAXED);
    __atomic_fetch_add(&p->wide, (__int128)1 << 64, __ATOMIC_RELAXED);
    __atomic_fetch_add(&p->a1, 1, __ATOMIC_SEQ_CST);
  }
}

int main(void) {
  for (int home = 0; home < skein_nodes(); home++) {
    shared struct all *p = skein_shared_alloc(home, sizeof *p);
    for (int node = 0; node < skein_nodes(); node++)
      CHECK(skein_join(skein_spawn(work, p, node)) == SKEIN_OK);
    p->counter = 0;
    p->af = 0;
    p->a8 = p->a1 = 0;
    p->wide = 0;
    skein_thread_t threads[4];
    for (int i = 0; i < 4; i++)
      threads[i] = skein_spawn(add, p, i % skein_nodes());
    for (int i = 0; i < 4; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
    CHECK(p->counter == 1200 && p->af == 1200 && p->a8 == 3600 && p->wide == (__int128)1200 << 64);
    CHECK(p->a1 == 1200 % 256);
    CHECK(skein_shared_free(p) == SKEIN_OK);
  }
  return 0;
}
