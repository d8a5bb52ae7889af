/* A thread takes its heap to nodes where the program is loaded elsewhere: pointers between blocks, to locals, functions
 * and strings, blocks allocated on every node, a block of megabytes. main's moves, too. A pointer to what libc
 * allocated is refused. */

// RUN: %skeincc -O2 -fskein-heap=private -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 40 %t | FileCheck %s
// RUN: %skeincc -O0 -fskein-heap=private -I%S/Inputs %s -o %t.O0
// RUN: %run -n 2 --timeout 40 %t.O0 | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 2 --timeout 40 %t | FileCheck %s
// RUN: %run -n 2 --timeout 40 --transport tcp %t | FileCheck %s
// CHECK: spawned: right
// CHECK: main: right
// CHECK: refused: skein_push_self: a pointer on its private heap leads to {{.*}}, which stays behind

#include "check.h"

struct node {
  const char *name;
  int (*apply)(int);
  struct node *next;
  int *count;
  char text[24];
};

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }

static struct node *push(struct node *list, int number, int *count) {
  struct node *node = malloc(sizeof *node);
  node->name = number % 2 ? "odd" : "even";
  node->apply = number % 3 ? twice : thrice;
  node->next = list;
  node->count = count;
  snprintf(node->text, sizeof node->text, "node %d", number);
  return node;
}

static long look(const struct node *list) {
  long sum = 0;
  for (; list; list = list->next)
    sum += list->apply(++*list->count) + (long)strlen(list->name) + (long)strlen(list->text);
  return sum;
}

enum { large = 8 << 20 };

static int travel(void) {
  int count = 0, right = 0;
  struct node *list = NULL;
  for (int i = 0; i < 500; i++)
    list = push(list, i, &count);
  unsigned char *block = calloc(1, large);
  for (size_t i = 0; i < large; i += 4096)
    block[i] = (unsigned char)(i >> 12);
  const char *copy = strdup("a copy");
  for (int hop = 1; hop <= 7; hop++) {
    count = 0;
    long before = look(list);
    CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
    count = 0;
    right += look(list) == before && !strcmp(copy, "a copy");
    for (size_t i = 0; i < large; i += 4096)
      right -= block[i] != (unsigned char)(i >> 12);
    list = push(list, 1000 + hop, &count); // perhaps in the slice of this node
    free(realloc(strdup("grows"), (size_t)hop * 100000));
  }
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  free(block);
  return right == 7;
}

static void spawned(skein_shared int *result) { *result = travel(); }

/* This is a function of its own, so that no frame holds the pointer. */
__attribute__((noinline)) static void open_file(struct node *node) {
  node->name = (const char *)fopen("/dev/null", "r");
}
__attribute__((noinline)) static void close_file(struct node *node) {
  fclose((FILE *)node->name);
  node->name = NULL;
}

int main(void) {
  skein_shared int *results = skein_shared_alloc(0, 8 * sizeof *results);
  skein_thread_t threads[8];
  for (int i = 0; i < 8; i++)
    threads[i] = skein_spawn(spawned, results + i);
  int all = 1;
  for (int i = 0; i < 8; i++) {
    CHECK(skein_join(threads[i]) == SKEIN_OK);
    all &= results[i];
  }
  printf("spawned: %s\n", all ? "right" : "wrong");
  printf("main: %s\n", travel() ? "right" : "wrong");
  CHECK(skein_push_self(0) == SKEIN_OK);
  struct node *node = push(NULL, 1, NULL);
  open_file(node);
  CHECK(skein_push_self(1 % skein_nodes()) == SKEIN_EPOINTER);
  printf("refused: %s\n", skein_error_text());
  close_file(node);
  CHECK(skein_push_self(1 % skein_nodes()) == SKEIN_OK);
  CHECK(skein_push_self(0) == SKEIN_OK);
  fflush(stdout);
  return 0;
}
