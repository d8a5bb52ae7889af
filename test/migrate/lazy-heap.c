// With moves=lazy most pages of a private heap stay behind when a thread moves, and follow it. The thread reads and
// writes its heap at random while the pages come, also by system calls; frees, shrinks and allocates blocks of which
// pages are missing; moves on; and ends early. Nothing of its memory is ever wrong.
//
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K,move_report=on \
// RUN:   %run -n 3 --timeout 100 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K,move_report=on,stacks=reserve,net_delay_us=300,workers=2 \
// RUN:   %run -n 3 --timeout 100 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K,move_report=on \
// RUN:   %run --transport tcp -n 3 --timeout 100 %t 2>&1 | FileCheck %s
//
// CHECK-DAG: 0 mistakes
// CHECK-DAG: moves: node 0: {{[1-9][0-9]*}} moves left memory behind; {{[1-9][0-9]*}} pages were fetched
// CHECK-NOT: all memory was taken along
//
// Where a page that comes later might have to change, or where its thread could not be lost, all memory goes along.
//
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K,move_report=on,stacks=relocate \
// RUN:   %run -n 3 --timeout 100 %t 2>&1 | FileCheck --check-prefixes=EAGER,RELOCATE %s
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K,move_report=on,deaths=survive \
// RUN:   %run -n 3 --timeout 100 %t 2>&1 | FileCheck --check-prefixes=EAGER,SURVIVE %s
//
// EAGER-DAG: 0 mistakes
// EAGER-DAG: moves: node 0: 0 moves left memory behind; 0 pages were fetched
// RELOCATE-DAG: all memory was taken along {{[1-9][0-9]*}} times: its stack gets another address
// SURVIVE-DAG: all memory was taken along {{[1-9][0-9]*}} times: deaths=survive
#include <fcntl.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { words = 1 << 19, sparse_words = 1 << 21, nodes = 1000, rounds = 4 };

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

struct node {
  struct node *next;
  uint64_t value;
  char text[600];
};

static uint64_t expected(uint64_t seed, size_t i) { return ((seed + i) * 0x9e3779b97f4a7c15u) >> 34; }

/* The numbers of a block, of which `changed` have been written again. */
static int wrong_words(const uint64_t *block, const unsigned char *changed, uint64_t seed) {
  int wrong = 0;
  for (size_t i = 0; i < words; i++)
    wrong += block[i] != expected(seed + changed[i], i);
  return wrong;
}

static int push(int to) {
  if (!skein_push_self(to))
    return 0;
  printf("refused: %s\n", skein_error_text());
  return 1;
}

static int system_calls(uint64_t *block, unsigned char *changed, uint64_t seed) {
  int ends[2], wrong = 0;
  if (pipe(ends))
    return 1;
  /* From one missing page, and into another one. */
  const size_t from = words / 2 + 77, to = words / 4 + 3;
  wrong += write(ends[1], block + from, 64) != 64;
  wrong += read(ends[0], block + to, 64) != 64;
  for (size_t i = 0; i < 8; i++) {
    wrong += block[to + i] != expected(seed + changed[from + i], from + i);
    block[to + i] = expected(seed + 1, to + i);
    changed[to + i] = 1;
  }
  close(ends[0]);
  close(ends[1]);
  return wrong;
}

static int wander(long number) {
  uint64_t random = 88172645463325252u + (uint64_t)number * 1000003u, seed = next(&random) >> 20;
  int wrong = 0;
  uint64_t *block = malloc(words * sizeof *block);
  unsigned char *changed = calloc(words, 1);
  uint64_t *sparse = calloc(sparse_words, sizeof *sparse); /* most of it is never touched */
  struct node *list = NULL;
  for (size_t i = 0; i < words; i++)
    block[i] = expected(seed, i);
  for (int i = 0; i < nodes; i++) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->next = list;
    fresh->value = (uint64_t)i;
    memset(fresh->text, i, sizeof fresh->text);
    list = fresh;
  }
  for (int round = 0; round < rounds; round++) {
    wrong += push((int)((skein_node() + 1 + next(&random) % 2) % 3));
    wrong += system_calls(block, changed, seed);
    for (int i = 0; i < 300; i++) {
      size_t at = next(&random) % words;
      wrong += block[at] != expected(seed + changed[at], at);
      if (i % 3 == 0) {
        changed[at] = (unsigned char)(round + 2);
        block[at] = expected(seed + changed[at], at);
      }
      size_t far = next(&random) % sparse_words;
      if (sparse[far] && sparse[far] != far)
        wrong++;
      sparse[far] = far;
    }
    int count = 0;
    for (struct node *at = list, **link = &list; at; at = *link) {
      wrong += at->text[17] != (char)at->value || at->text[599] != (char)at->value;
      if (++count % 7 == 3 && round > 0) { /* freed, with pages that may still be missing */
        *link = at->next;
        free(at);
      } else {
        link = &at->next;
      }
    }
    struct node *more = malloc(sizeof *more);
    more->next = list;
    more->value = 1;
    memset(more->text, 1, sizeof more->text);
    list = more;
    if (round == 2) { /* shorter and longer again: what was cut off is nothing */
      sparse = realloc(sparse, words * sizeof *sparse);
      sparse = realloc(sparse, sparse_words * sizeof *sparse);
      memset(sparse + words, 0, (sparse_words - words) * sizeof *sparse);
    }
    if (round == 1)
      wrong += wrong_words(block, changed, seed);
  }
  if (number % 3 == 0) { /* ends right after a move, with all that is still elsewhere */
    wrong += push((skein_node() + 1) % 3);
    return wrong;
  }
  wrong += wrong_words(block, changed, seed);
  free(block);
  free(changed);
  free(sparse);
  return wrong;
}

int main(void) {
  enum { threads = 5 };
  skein_thread_t all[threads];
  int wrong = 0;
  for (long i = 0; i < threads; i++)
    all[i] = skein_spawn(wander, i);
  for (int i = 0; i < threads; i++) {
    int result = 1;
    wrong += skein_join_result(all[i], &result) != 0;
    wrong += result;
  }
  printf("%d mistakes\n", wrong);
  return wrong != 0;
}
