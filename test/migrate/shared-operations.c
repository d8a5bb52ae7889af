/* This tests what compiled code asks of the runtime for shared memory that is not mapped: atomic operations of all
 * kinds and sizes, copies between nodes, also overlapping ones and in pieces, and fills. The results must be the same
 * where it is mapped. */

// RUN: %skeincc -O2 -I%S/Inputs -I%root/runtime %s -o %t
// RUN: %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=50 %run -n 2 --timeout 60 %t

#include "abi/entry_points.h"
#include "check.h"

static uint64_t atomic(uint64_t at, unsigned bytes, unsigned operation, uint64_t operand, uint64_t expected) {
  return __skein_shared_atomic(at, operand, expected, operation | bytes << 8);
}

static void each_kind(uint64_t at, unsigned bytes) {
  const uint64_t mask = bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;
  struct {
    unsigned operation;
    uint64_t operand, after;
  } steps[] = {
      {SKEIN_ATOMIC_STORE, 40, 40},
      {SKEIN_ATOMIC_ADD, 5, 45},
      {SKEIN_ATOMIC_SUB, 46, (uint64_t)-1},
      {SKEIN_ATOMIC_MAX, 3, 3},
      {SKEIN_ATOMIC_UMAX, (uint64_t)-2, (uint64_t)-2},
      {SKEIN_ATOMIC_MIN, 7, (uint64_t)-2},
      {SKEIN_ATOMIC_UMIN, 0x5a, 0x5a},
      {SKEIN_ATOMIC_AND, 0x33, 0x12},
      {SKEIN_ATOMIC_OR, 0x41, 0x53},
      {SKEIN_ATOMIC_XOR, 0x0f, 0x5c},
      {SKEIN_ATOMIC_NAND, 0x0c, (uint64_t)~0x0c},
      {SKEIN_ATOMIC_EXCHANGE, 99, 99},
  };
  uint64_t before = atomic(at, bytes, SKEIN_ATOMIC_LOAD, 0, 0);
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
    const uint64_t was = atomic(at, bytes, steps[i].operation, steps[i].operand, 0);
    CHECK(was == before || steps[i].operation == SKEIN_ATOMIC_STORE);
    before = steps[i].after & mask;
    CHECK(atomic(at, bytes, SKEIN_ATOMIC_LOAD, 0, 0) == before);
  }
  CHECK(atomic(at, bytes, SKEIN_ATOMIC_COMPARE, 1, 98) == 99);
  CHECK(atomic(at, bytes, SKEIN_ATOMIC_COMPARE, 1, 99) == 99);
  CHECK(atomic(at, bytes, SKEIN_ATOMIC_LOAD, 0, 0) == 1);
}

static void sixteen(uint64_t at) {
  uint64_t value[2] = {1, 2}, expected[2] = {1, 2};
  __skein_shared_atomic16(at, value, expected, SKEIN_ATOMIC_EXCHANGE);
  CHECK(value[0] == 0 && value[1] == 0);
  value[0] = 3, value[1] = 4;
  __skein_shared_atomic16(at, value, expected, SKEIN_ATOMIC_COMPARE);
  CHECK(value[0] == 1 && value[1] == 2);
  __skein_shared_atomic16(at, value, expected, SKEIN_ATOMIC_COMPARE); /* 3, 4 is there, so nothing happens */
  CHECK(value[0] == 3 && value[1] == 4);
  value[0] = value[1] = 0;
  __skein_shared_atomic16(at, value, 0, SKEIN_ATOMIC_LOAD);
  CHECK(value[0] == 3 && value[1] == 4);
}

enum { rounds = 300 };

static void adds(uint64_t at, int node) {
  skein_push_self(node);
  for (int i = 0; i < rounds; i++) {
    atomic(at, 8, SKEIN_ATOMIC_ADD, 1, 0);
    uint64_t was = atomic(at + 8, 4, SKEIN_ATOMIC_LOAD, 0, 0); /* the same by comparing */
    for (uint64_t now; (now = atomic(at + 8, 4, SKEIN_ATOMIC_COMPARE, was + 1, was)) != was; was = now)
      ;
  }
}

static int byte_of(size_t i) { return (int)(i * 31 + i / 255) & 0xff; }

static void copies(skein_shared unsigned char *from, skein_shared unsigned char *to, size_t bytes) {
  static unsigned char here[9 << 20];
  for (size_t i = 0; i < bytes; i++)
    here[i] = (unsigned char)byte_of(i);
  __skein_shared_put((uint64_t)from, here, bytes);
  __skein_shared_copy((uint64_t)to, (uint64_t)from, bytes);
  memset(here, 0, bytes);
  __skein_shared_get(here, (uint64_t)to, bytes);
  for (size_t i = 0; i < bytes; i++)
    CHECK(here[i] == byte_of(i));
  size_t by = bytes / 3; /* overlapping, to higher addresses and back */
  __skein_shared_copy((uint64_t)to + by, (uint64_t)to, bytes - by);
  __skein_shared_get(here, (uint64_t)to, bytes);
  for (size_t i = 0; i < bytes; i++)
    CHECK(here[i] == byte_of(i < by ? i : i - by));
  __skein_shared_copy((uint64_t)to, (uint64_t)to + by, bytes - by);
  __skein_shared_get(here, (uint64_t)to, bytes - by);
  for (size_t i = 0; i < bytes - by; i++)
    CHECK(here[i] == byte_of(i));
  __skein_shared_set((uint64_t)to + 1, 0x7f, bytes - 2);
  __skein_shared_get(here, (uint64_t)to, bytes);
  for (size_t i = 1; i < bytes - 1; i++)
    CHECK(here[i] == 0x7f);
  CHECK(here[0] == byte_of(0));
}

/* The result must not be null, since a null pointer leads to a node's own memory: mutant.py runs this with nodes that
 * die. */
static skein_shared void *memory_of(int node, size_t bytes) {
  skein_shared void *memory = skein_shared_alloc(node, bytes);
  CHECK(memory);
  return memory;
}

int main(void) {
  skein_stealing_set(0);
  int nodes = skein_nodes();
  for (int node = 0; node < nodes; node++) {
    skein_shared uint64_t *words = memory_of(node, 64);
    for (unsigned bytes = 1; bytes <= 8; bytes *= 2)
      each_kind((uint64_t)words + 8 * bytes - 8, bytes);
    skein_shared uint64_t *wide = memory_of(node, 16);
    sixteen((uint64_t)wide);
    skein_shared uint64_t *counters = memory_of(node, 16);
    skein_thread_t threads[12];
    for (int i = 0; i < 12; i++)
      threads[i] = skein_spawn(adds, (uint64_t)counters, i % nodes);
    for (int i = 0; i < 12; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
    CHECK(counters[0] == 12 * rounds && counters[1] == 12 * rounds);
    for (size_t bytes = 100; bytes <= 9 << 20; bytes = bytes * 300 + 7) {
      skein_shared unsigned char *from = memory_of(node, bytes), *to = memory_of((node + 1) % nodes, bytes);
      copies(from, to, bytes);
      CHECK(skein_shared_free(from) == SKEIN_OK && skein_shared_free(to) == SKEIN_OK);
    }
  }
  return 0;
}
