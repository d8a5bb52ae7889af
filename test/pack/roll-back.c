/* A thread goes back to where it packed itself, as often as it wants: with what it had on its stack, on its heap and in
   its private variables, under its own id. What it has done to memory of the process stays done. */
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t
// RUN: %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 2 %t | FileCheck %s
// RUN: %skeincc -O0 -fskein-heap=private %s -o %t.0 && %t.0 | FileCheck %s
// RUN: %skeincc -O2 -fskein-heap=private -fskein-stress=calls %s -o %t.s && %t.s | FileCheck %s
// CHECK: try 0: 3 blocks, depth 2, local 1
// CHECK-NEXT: try 1: 3 blocks, depth 2, local 1
// CHECK-NEXT: try 2: 3 blocks, depth 2, local 1
// CHECK-NEXT: try 3: 3 blocks, depth 2, local 1
// CHECK-NEXT: it was joined under its id, after 4 tries
// CHECK-NEXT: of another thread: skein_roll_back: the image is not of this thread, but of thread {{[0-9]+}}
// CHECK-NEXT: with a lock: skein_roll_back: it holds the mutex `mutex`{{.*}}
#include <skein/heap.h>
#include <skein/pack.h>
#include <skein/private.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma clang diagnostic ignored "-Wskein-global" /* no thread leaves its node here */

struct block {
  struct block *next;
  char text[100];
};
static SKEIN_PRIVATE int depth;
static void *image;
static size_t bytes;
static int tries;
static skein_thread_t id;

static struct block *with_another(struct block *list) {
  struct block *block = malloc(sizeof *block);
  block->next = list;
  memset(block->text, 'x', sizeof block->text);
  return block;
}

static void deep(struct block **list, int *local, int more) {
  depth++;
  if (more) {
    deep(list, local, more - 1);
    return;
  }
  void *mine;
  size_t size;
  const int side = skein_pack(skein_self(), &mine, &size);
  if (side == SKEIN_OK) {
    image = mine;
    bytes = size;
  } else if (side != SKEIN_UNPACKED) {
    puts(skein_error_text());
    return;
  }
  int blocks = 0;
  for (struct block *at = *list; at; at = at->next)
    blocks += at->text[99] == 'x';
  printf("try %d: %d blocks, depth %d, local %d\n", tries++, blocks, depth, *local);
  // From here on all is done that has to be undone.
  ++*local;
  depth = 99;
  for (int i = 0; i < 3000; i++) // more than the first extent of the heap holds
    *list = with_another(*list);
  char *large = malloc(3 << 20);
  memset(large, 1, 3 << 20);
  while (*list) {
    struct block *next = (*list)->next;
    free(*list);
    *list = next;
  }
  if (tries == 2)
    free(large);
  if (tries < 4 && skein_roll_back(image, bytes))
    puts(skein_error_text());
}

static void work(void) {
  struct block *list = NULL;
  int local = 1;
  id = skein_self();
  for (int i = 0; i < 3; i++)
    list = with_another(list);
  deep(&list, &local, 1);
  if (skein_self() != id)
    puts("its id has changed");
}

static skein_mutex_t mutex;
static void with_lock(void) {
  void *mine;
  size_t size;
  if (skein_pack(skein_self(), &mine, &size) != SKEIN_OK)
    puts(skein_error_text());
  skein_mutex_lock(&mutex);
  skein_roll_back(mine, size);
  printf("with a lock: %s\n", skein_error_text());
  skein_mutex_unlock(&mutex);
  free(mine);
}
static void of_another(void) {
  skein_roll_back(image, bytes);
  printf("of another thread: %s\n", skein_error_text());
}

int main(void) {
  skein_thread_t thread = skein_spawn(work);
  if (skein_join(thread) == SKEIN_OK && thread == id)
    printf("it was joined under its id, after %d tries\n", tries);
  skein_join(skein_spawn(of_another));
  skein_join(skein_spawn(with_lock));
  free(image);
  return 0;
}
