/* Distributed arrays: their elements lie on all nodes, in blocks that go round.
 *
 *     skein_array_t a;
 *     skein_array_create(&a, 1000, sizeof(double), SKEIN_BLOCKED);
 *     skein_shared double *x = skein_array_at(&a, 17);           // a global address as any other
 *
 * Block b lies on node b % nodes, behind the blocks that node has already:
 *
 *     SKEIN_BLOCKED   one block a node, as even as can be:  0 0 0 1 1 1 2 2 2
 *     SKEIN_CYCLIC    blocks of one element:                0 1 2 0 1 2 0 1 2
 *     n               block-cyclic, blocks of n elements:   0 0 1 1 2 2 0 0 1
 *
 * The descriptor is a few numbers: it may be copied, passed along and kept anywhere, and moves with its thread.
 * Elements of one block lie one after the other; pointers must not be counted on into the next block
 * (skein_array_run says how far). (Source: Hara and Taura, *Half-process*, section 5.2.1, DMI's global arrays; UPC's
 * layout qualifiers.) */
#ifndef SKEIN_SHARED_ARRAY_H
#define SKEIN_SHARED_ARRAY_H

#include <skein/shared.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SKEIN_BLOCKED = 0, SKEIN_CYCLIC = 1 };

typedef struct skein_array {
  uint64_t begin; /* address of the first element */
  uint64_t count; /* elements */
  uint64_t block; /* elements of a block */
  uint64_t bytes; /* of an element */
  uint64_t nodes;
} skein_array_t;

/* Makes `count` zeroed elements of `bytes` bytes, in blocks of `block` elements. This is one-sided: one thread calls
 * it, and gives the descriptor to others as it likes. SKEIN_EMEMORY, SKEIN_EDEAD. Blocks, may migrate. */
static inline int skein_array_create(skein_array_t *array, size_t count, size_t bytes, size_t block);
/* Collective: `parties` threads, wherever they are, make this call with the same `key` and sizes, and get the same
 * array. The key is free again when all have. Blocks, may migrate. */
static inline int skein_array_create_together(skein_array_t *array, uint64_t key, unsigned parties, size_t count,
                                              size_t bytes, size_t block);
/* Frees the array, from any node, once. SKEIN_EPOINTER if there is no such array (any more). Blocks, may migrate. */
int skein_array_free(const skein_array_t *array);

/* The address of element i; i < count. None of these functions blocks. */
static inline skein_shared void *skein_array_at(const skein_array_t *array, size_t i) {
  const uint64_t block = i / array->block, in_block = i % array->block;
  const uint64_t node = block % array->nodes, before = block / array->nodes;
  return (skein_shared void *)(array->begin + (node << 36) + (before * array->block + in_block) * array->bytes);
}
/* The node of element i. */
static inline int skein_array_node(const skein_array_t *array, size_t i) {
  return (int)(i / array->block % array->nodes);
}
/* The number of elements, from i on, that lie one after the other. */
static inline size_t skein_array_run(const skein_array_t *array, size_t i) {
  const size_t block = array->block - i % array->block;
  return block < array->count - i ? block : array->count - i;
}
/* The first element from i on that lies on `node`; count if there is none. So
 *     for (size_t i = skein_array_next(&a, 0, n); i < a.count; i = skein_array_next(&a, i + 1, n))
 * visits all elements of node n. */
static inline size_t skein_array_next(const skein_array_t *array, size_t i, int node) {
  const uint64_t block = i / array->block;
  const uint64_t away = ((uint64_t)node + array->nodes - block % array->nodes) % array->nodes;
  const uint64_t found = away ? (block + away) * array->block : i;
  return found < array->count ? found : array->count;
}
/* The element that an address lies in; count if it is in none of the array's. */
static inline size_t skein_array_index(const skein_array_t *array, const skein_shared void *address) {
  const uint64_t offset = (uint64_t)address - array->begin;
  const uint64_t node = offset >> 36, element = (offset & (((uint64_t)1 << 36) - 1)) / array->bytes;
  const uint64_t i = (element / array->block * array->nodes + node) * array->block + element % array->block;
  return (uint64_t)address >= array->begin && node < array->nodes && i < array->count ? i : array->count;
}

/* --- for the functions above ------------------------------------------------------------------------------------- */
int __skein_array_open(skein_array_t *array, uint64_t key, unsigned parties);

static inline int skein_array_create(skein_array_t *array, size_t count, size_t bytes, size_t block) {
  return skein_array_create_together(array, 0, 1, count, bytes, block);
}
static inline int skein_array_create_together(skein_array_t *array, uint64_t key, unsigned parties, size_t count,
                                              size_t bytes, size_t block) {
  array->begin = array->nodes = 0;
  array->count = count;
  array->bytes = bytes;
  array->block = block;
  return __skein_array_open(array, key, parties);
}

#ifdef __cplusplus
}
#endif
#endif
