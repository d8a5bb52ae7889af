// Random allocation while the stack moves at every call: blocks of all sizes hold the address of a local and of each
// other, grow, shrink and die.
// flags: -fskein-heap=private
// options: stress_every=3
#include "hop.h"
#include <stdlib.h>
#include <string.h>

struct block {
  size_t words;
  long *total;        // a local of main
  struct block *peer; // another block
  long *cells[];      // all lead to the same local
};

enum { slots = 40, steps = 1500 };

static unsigned long state = 12345;
static unsigned long next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static size_t size(void) {
  unsigned long kind = next() % 100;
  return kind < 80 ? next() % 20 : kind < 98 ? next() % 400 : 130000 + next() % 20000;
}

static struct block *fill(struct block *block, size_t words, long *total, struct block *peer) {
  block->words = words;
  block->total = total;
  block->peer = peer;
  hop();
  for (size_t i = 0; i < words; i += words > 1000 ? 5000 : 1)
    block->cells[i] = total;
  return block;
}

static int right(const struct block *block, const long *total) {
  hop();
  for (size_t i = 0; i < block->words; i += block->words > 1000 ? 5000 : 1)
    if (block->cells[i] != total)
      return 0;
  return block->total == total;
}

int main(void) {
  struct block *blocks[slots] = {0};
  long total = 0;
  for (int step = 0; step < steps; step++) {
    size_t slot = next() % slots, words = size();
    struct block *block = blocks[slot], *peer = blocks[next() % slots];
    if (!block) {
      block = malloc(sizeof *block + words * sizeof *block->cells);
      blocks[slot] = fill(block, words, &total, peer == block ? NULL : peer);
    } else if (!right(block, &total)) {
      printf("wrong at step %d\n", step);
      return 1;
    } else if (step % 3) {
      *block->total += (long)block->words;
      block = realloc(block, sizeof *block + words * sizeof *block->cells);
      blocks[slot] = fill(block, words, &total, NULL);
    } else {
      if (block->words)
        ++*block->cells[0];
      free(block);
      blocks[slot] = NULL;
    }
  }
  for (int slot = 0; slot < slots; slot++)
    free(blocks[slot]);
  printf("%ld\n", total);
  return 0;
}
