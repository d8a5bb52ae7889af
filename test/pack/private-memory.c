/* A packed thread has a heap and globals of its own. Its copies get them as they were, at the same addresses; so only
   one lives at a time. The addresses of a packed thread are kept for its copies when it ends, whoever asks for memory.
 */
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t
// RUN: %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 2 %t | FileCheck %s
// RUN: %skeincc -O0 -fskein-heap=private %s -o %t.0 && %t.0 | FileCheck %s
// CHECK: while it lives: skein_unpack: its private memory at 0x{{[0-9a-f]+}} is not free: the thread that was packed
// CHECK-NEXT: packed: list 0 1 2 3 4, calls 6, total 10
// CHECK-NEXT: 100 other threads have had heaps
// CHECK-NEXT: copy: list 0 1 2 3 4, calls 6, total 10
// CHECK-NEXT: while a copy lives: skein_unpack: its private memory at 0x{{[0-9a-f]+}} is not free
// CHECK-NEXT: copy: list 0 1 2 3 4, calls 6, total 10
// CHECK-NEXT: copy: list 0 1 2 3 4, calls 6, total 10
#include <skein/heap.h>
#include <skein/pack.h>
#include <skein/private.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
  int *counter; /* leads to a private global */
  int *local;   /* leads to the stack */
};
static SKEIN_PRIVATE int calls, total;

static void *image;
static size_t bytes;
static skein_sem_t gate;
#pragma clang diagnostic ignored "-Wskein-global" /* no thread leaves its node here */

static struct node *push(struct node *list, int value, int *local) {
  struct node *node = malloc(sizeof *node);
  *node = (struct node){value, list, &calls, local};
  calls++;
  return node;
}

static void work(int count) {
  int seen = 0, is_copy = 0;
  struct node *list = NULL;
  for (int i = count; i-- > 0;)
    list = push(list, i, &seen);
  calls++;
  void *mine;
  size_t size;
  switch (skein_pack(skein_self(), &mine, &size)) {
  case SKEIN_OK:
    image = mine;
    bytes = size;
    break;
  case SKEIN_UNPACKED:
    is_copy = 1;
    break;
  default:
    puts(skein_error_text());
    return;
  }
  skein_sem_wait(&gate);
  printf("%s: list", is_copy ? "copy" : "packed");
  for (struct node *node = list; node; node = node->next) {
    printf(" %d", node->value);
    total += node->value;
    *node->local += node->counter == &calls;
  }
  printf(", calls %d, total %d\n", *list->counter, total);
  if (seen != count)
    puts("addresses of its stack or its globals have gone wrong");
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
}

static void other(void) {
  char *text = malloc(1000);
  text[0] = 'x';
  calls++;
  skein_yield();
  free(text);
}

static skein_thread_t unpack(const char *when) {
  skein_thread_t copy = 0;
  if (skein_unpack(image, bytes, &copy) != SKEIN_OK)
    printf("%s: %s\n", when, skein_error_text());
  return copy;
}

int main(void) {
  skein_sem_init(&gate, 0);
  skein_thread_t thread = skein_spawn(work, 5);
  while (!image)
    skein_yield();
  unpack("while it lives");
  skein_sem_signal(&gate);
  skein_join(thread);
  skein_thread_t others[100];
  for (int i = 0; i < 100; i++)
    others[i] = skein_spawn(other);
  for (int i = 0; i < 100; i++)
    skein_join(others[i]);
  puts("100 other threads have had heaps");
  thread = unpack("the first copy");
  skein_sem_signal(&gate);
  skein_join(thread);
  thread = unpack("the second copy");
  skein_yield();
  unpack("while a copy lives");
  skein_sem_signal(&gate);
  skein_join(thread);
  skein_sem_signal(&gate);
  skein_join(unpack("the third copy"));
  free(image);
  return 0;
}
