/* A thread goes back, on another node, to an image that was made where its stack and the program lie at other
   addresses: what leads there on its stack and on its heap is right where it is now. */
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 2 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %t | FileCheck %s
// CHECK: try 0 on node 0: 3 of 3 right
// CHECK-NEXT: try 1 on node 1: 3 of 3 right
// CHECK-NEXT: try 2 on node 0: 3 of 3 right
// CHECK-NEXT: in a number: back on node 1, 1000
#include <skein/heap.h>
#include <skein/pack.h>
#include <skein/shared.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct image {
  size_t bytes;
  int tries;
  char text[60000];
};
struct entry {
  struct entry *next;
  int *local;                 /* leads to the stack */
  int (*print)(const char *); /* leads to the program */
};

static void *fetch(skein_shared struct image *from) {
  char *image = malloc(from->bytes);
  for (size_t i = 0; i < from->bytes; i++)
    image[i] = from->text[i];
  return image;
}
static int packs(skein_shared struct image *to) {
  void *image;
  size_t bytes;
  const int side = skein_pack(skein_self(), &image, &bytes);
  if (side > SKEIN_OK)
    puts(skein_error_text());
  if (side == SKEIN_OK && bytes <= sizeof to->text) {
    for (size_t i = 0; i < bytes; i++)
      to->text[i] = ((char *)image)[i];
    to->bytes = bytes;
    free(image);
  }
  return side;
}

static void pointers(skein_shared struct image *kept) {
  int local[3] = {0, 0, 0};
  struct entry *list = NULL;
  for (int i = 0; i < 3; i++) {
    struct entry *entry = malloc(sizeof *entry);
    *entry = (struct entry){list, &local[i], puts};
    list = entry;
  }
  packs(kept);
  const int try = kept->tries++;
  int right = 0;
  for (struct entry *entry = list; entry; entry = entry->next) {
    ++*entry->local;
    right += entry->print == puts;
  }
  for (int i = 0; i < 3; i++)
    right -= local[i] != 1;
  printf("try %d on node %d: %d of 3 right\n", try, skein_node(), right);
  fflush(stdout);
  while (list) {
    struct entry *next = list->next;
    free(list);
    list = next;
  }
  if (skein_push_self(1 - skein_node()))
    puts(skein_error_text());
  if (try < 2 && skein_roll_back(fetch(kept), kept->bytes))
    puts(skein_error_text());
}

/* On its heap lies an address of its stack in a word that is declared as a number. */
static void number(skein_shared struct image *kept) {
  int local = 1000;
  uint64_t *word = malloc(sizeof *word);
  *word = (uint64_t)(uintptr_t)&local;
  const int side = packs(kept);
  if (side > SKEIN_OK)
    return;
  if (side == SKEIN_UNPACKED) {
    printf("in a number: back on node %d, %d\n", skein_node(), *(int *)(uintptr_t)*word);
    return;
  }
  local = 2000;
  skein_push_self(1);
  if (skein_roll_back(fetch(kept), kept->bytes))
    puts(skein_error_text());
}

int main(void) {
  skein_shared struct image *kept = skein_shared_alloc(0, sizeof *kept);
  kept->tries = 0;
  skein_join(skein_spawn(pointers, kept));
  skein_join(skein_spawn(number, kept));
  return 0;
}
