/* `skein bench heap`: what malloc, calloc, realloc and free cost. The same source is built by skeincc with a private
 * heap (libexec/skein/heap_skein), by clang with the C library's allocator (heap_glibc), and with mimalloc
 * (heap_mimalloc).
 *
 *     heap_skein ROW COUNT    prints a number that must be the same with every allocator, and nanoseconds a call
 *
 * A row is run once to make memory warm, and again to be measured, in CPU time of the thread, which others on the
 * machine change least. What a row does between the calls is as little as makes it that row: it writes each block where
 * it begins and ends. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KIB = 1 << 10, MIB = 1 << 20 };

static uint64_t seed;

static inline uint32_t next_random(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33);
}

/* From `least` to `most`, small ones more often: as often between 16 and 32 as between 32 and 64. */
static inline size_t random_size(size_t least, size_t most) {
  const size_t size = (most >> (next_random() % 8)) | 1;
  return size <= least ? least : least + next_random() % (size - least);
}

/* What a row returns: how often it has called the allocator, and what it has read from blocks. */
struct done {
  long calls, sum;
};

/* The address goes where the compiler does not look: it would leave out a block that nobody needs. */
static char *volatile elsewhere;

static inline char *written(char *block, size_t bytes) {
  block[0] = (char)bytes;
  block[bytes - 1] = (char)bytes;
  elsewhere = block;
  return block;
}

/* A block of one size, that is freed at once. */
static struct done pairs(long count) {
  struct done done = {2 * count, 0};
  for (long i = 0; i < count; i++) {
    char *block = written(malloc(48), 48);
    done.sum += block[47];
    free(block);
  }
  return done;
}

/* Blocks of 8 to 1,024 bytes, of which the one before the last is freed. */
static struct done mixed_pairs(long count) {
  struct done done = {2 * count, 0};
  char *before = written(malloc(8), 8);
  for (long i = 0; i < count; i++) {
    const size_t bytes = random_size(8, KIB);
    char *block = written(malloc(bytes), bytes);
    done.sum += before[0];
    free(before);
    before = block;
  }
  free(before);
  return done;
}

/* Larson and Krishnan's server: of many blocks that live, one after another is replaced, in random order. */
static struct done larson(long count, size_t live, size_t least, size_t most) {
  struct done done = {2 * count, 0};
  char **blocks = malloc(live * sizeof *blocks);
  for (size_t i = 0; i < live; i++) {
    const size_t bytes = least + next_random() % (most - least);
    blocks[i] = written(malloc(bytes), bytes);
  }
  for (long i = 0; i < count; i++) {
    char **block = &blocks[next_random() % live];
    const size_t bytes = least + next_random() % (most - least);
    done.sum += **block;
    free(*block);
    *block = written(malloc(bytes), bytes);
  }
  for (size_t i = 0; i < live; i++)
    free(blocks[i]);
  free(blocks);
  return done;
}
static struct done larson_small(long count) { return larson(count, 5000, 8, 1000); }
static struct done larson_wide(long count) { return larson(count, 100000, 8, 1000); }

/* Numbers of arbitrary length, as cfrac has them: each result is a new block, which dies a little later. */
struct number {
  int references, length;
  uint32_t digit[];
};

static struct number *make(int length) {
  struct number *n = malloc(sizeof *n + (size_t)length * sizeof n->digit[0]);
  n->references = 1;
  n->length = length;
  return n;
}
static void drop(struct number *n) {
  if (--n->references == 0)
    free(n);
}
static struct number *times(struct number *n, uint32_t by, uint32_t plus) { /* drops n */
  struct number *product = make(n->length + 1);
  uint64_t carry = plus;
  for (int i = 0; i < n->length; i++) {
    carry += (uint64_t)n->digit[i] * by;
    product->digit[i] = (uint32_t)carry;
    carry >>= 32;
  }
  product->digit[n->length] = (uint32_t)carry;
  product->length -= carry == 0;
  drop(n);
  return product;
}
static struct number *divided(struct number *n, uint32_t by, uint32_t *rest) { /* drops n */
  struct number *quotient = make(n->length);
  uint64_t left = 0;
  for (int i = n->length - 1; i >= 0; i--) {
    left = left << 32 | n->digit[i];
    quotient->digit[i] = (uint32_t)(left / by);
    left %= by;
  }
  while (quotient->length > 1 && quotient->digit[quotient->length - 1] == 0)
    quotient->length--;
  *rest = (uint32_t)left;
  drop(n);
  return quotient;
}

/* Products that grow to some digits and are divided again, while earlier ones are still in use. */
static struct done cfrac(long count) {
  enum { KEPT = 32 };
  struct number *kept[KEPT];
  struct done done = {0, 0};
  for (int i = 0; i < KEPT; i++) {
    kept[i] = make(1);
    kept[i]->digit[0] = (uint32_t)i + 1;
  }
  while (done.calls < 2 * count) {
    struct number **place = &kept[next_random() % KEPT], *n = *place;
    n->references++;
    const int steps = 1 + (int)(next_random() % 12);
    for (int i = 0; i < steps; i++)
      n = times(n, next_random() | 1, (uint32_t)i);
    uint32_t rest = 0;
    while (n->length > 1 + (int)(next_random() % 4)) {
      n = divided(n, next_random() | 0x80000000, &rest);
      done.calls += 2;
    }
    done.sum += rest;
    done.calls += 2 * steps;
    drop(*place);
    *place = n;
  }
  for (int i = 0; i < KEPT; i++)
    drop(kept[i]);
  return done;
}

/* Covers, as espresso has them: a family of sets of some hundred bytes, in an array that grows; families are made of
 * others by leaving out sets or adding some, and are freed as a whole. */
struct family {
  int count, room;
  size_t bytes;
  char **set;
};

static long add_set(struct family *family, const char *of, size_t bytes) {
  long calls = 1;
  if (family->count == family->room) {
    family->room = family->room ? 2 * family->room : 4;
    family->set = realloc(family->set, (size_t)family->room * sizeof *family->set);
    calls++;
  }
  char *set = malloc(bytes);
  memset(set, family->count, 16);
  memcpy(set + bytes - 8, of, 8);
  family->set[family->count++] = set;
  return calls;
}
static long free_family(struct family *family) {
  for (int i = 0; i < family->count; i++)
    free(family->set[i]);
  free(family->set);
  return family->count + 1;
}
static struct done espresso(long count) {
  enum { FAMILIES = 24 };
  struct family families[FAMILIES];
  struct done done = {0, 0};
  memset(families, 0, sizeof families);
  while (done.calls < 2 * count) {
    const struct family *from = &families[next_random() % FAMILIES];
    struct family made = {0, 0, random_size(64, 8 * KIB), NULL};
    for (int i = 0; i < from->count; i++)
      if (next_random() % 3)
        done.calls += add_set(&made, from->set[i], made.bytes);
    for (int i = (int)(next_random() % 64); i >= 0; i--)
      done.calls += add_set(&made, "a cover", made.bytes);
    struct family *place = &families[next_random() % FAMILIES];
    for (int i = 0; i < place->count; i++)
      done.sum += place->set[i][0];
    done.calls += free_family(place);
    *place = made;
  }
  for (int i = 0; i < FAMILIES; i++)
    free_family(&families[i]);
  return done;
}

/* A tree of half a million nodes is built in random order, and freed as a whole. */
struct node {
  struct node *left, *right;
  uint32_t key;
};
static void free_tree(struct node *node) {
  if (node->left)
    free_tree(node->left);
  if (node->right)
    free_tree(node->right);
  free(node);
}
static struct node *make_tree(int depth) {
  struct node *node = malloc(sizeof *node);
  node->key = (uint32_t)depth;
  node->left = depth ? make_tree(depth - 1) : NULL;
  node->right = depth ? make_tree(depth - 1) : NULL;
  return node;
}
static struct done trees(long count) {
  struct done done = {0, 0};
  while (done.calls < 2 * count) {
    struct node *root = make_tree(18);
    done.sum += (long)root->key;
    free_tree(root);
    done.calls += 2l * ((1 << 19) - 1);
  }
  return done;
}

static struct done zeroed(long count) {
  struct done done = {2 * count, 0};
  for (long i = 0; i < count; i++) {
    const size_t bytes = random_size(16, 4 * KIB);
    char *block = calloc(1, bytes);
    done.sum += block[bytes - 1];
    free(written(block, bytes));
  }
  return done;
}

/* An array grows from `least` to `most` bytes, by `by` bytes at a time or, if that is 0, by half. A block beside it is
 * allocated from time to time, as what lies in the array has some. */
static struct done growth(long count, size_t least, size_t most, size_t by) {
  struct done done = {0, 0};
  while (done.calls < count) {
    char *array = NULL, *beside[64] = {NULL};
    unsigned blocks = 0;
    size_t bytes = least;
    for (int step = 0; bytes <= most; step++, bytes += by ? by : bytes / 2) {
      array = written(realloc(array, bytes), bytes);
      done.calls++;
      if (step % 16 == 15 && blocks < 64)
        beside[blocks++] = malloc(64);
    }
    done.sum += array[0];
    free(array);
    while (blocks)
      free(beside[--blocks]);
  }
  return done;
}
static struct done grow_by_half(long count) { return growth(count, 16, MIB, 0); }
static struct done grow_by_steps(long count) { return growth(count, 16, MIB, KIB); }
static struct done grow_large(long count) { return growth(count, MIB, 64 * MIB, 0); }
static struct done grow_large_by_steps(long count) { return growth(count, MIB, 32 * MIB, 64 * KIB); }

/* Blocks of 1 to 4 MiB, of which a word in each page is written. */
static struct done large_pairs(long count) {
  struct done done = {2 * count, 0};
  for (long i = 0; i < count; i++) {
    const size_t bytes = MIB + next_random() % (3 * MIB);
    char *block = written(malloc(bytes), bytes);
    for (size_t at = 0; at < bytes; at += 4 * KIB)
      block[at] = (char)i;
    done.sum += block[0];
    free(block);
  }
  return done;
}

static const struct {
  const char *name;
  struct done (*run)(long count);
} rows[] = {
    {"pairs", pairs},
    {"pairs-mixed", mixed_pairs},
    {"larson", larson_small},
    {"larson-wide", larson_wide},
    {"cfrac", cfrac},
    {"espresso", espresso},
    {"trees", trees},
    {"calloc", zeroed},
    {"realloc", grow_by_half},
    {"realloc-steps", grow_by_steps},
    {"realloc-large", grow_large},
    {"realloc-large-steps", grow_large_by_steps},
    {"large", large_pairs},
};

static double cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 3 && i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(rows[i].name, argv[1]) == 0) {
      const long count = atol(argv[2]);
      seed = 1;
      rows[i].run(count / 4);
      seed = 2;
      const double begin = cpu_ns();
      const struct done done = rows[i].run(count);
      printf("%ld %.4f\n", done.sum, (cpu_ns() - begin) / (double)done.calls);
      return 0;
    }
  fprintf(stderr, "usage: %s ROW COUNT\n", argv[0]);
  return 2;
}
