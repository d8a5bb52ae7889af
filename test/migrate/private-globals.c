// Private globals come along, with pointers to the stack, to literals, functions and each other, at other load
// addresses.
// RUN: %skeincc -O0 -fskein-globals=private %s -o %t.0 && %run -n 3 %t.0 | FileCheck %s
// RUN: %skeincc -O2 -fskein-globals=private %s -o %t.2 && %run -n 3 %t.2 | FileCheck %s
// RUN: %skeincc -O2 -fskein-globals=private -fskein-stress=calls %s -o %t.s && %run -n 3 %t.s | FileCheck %s
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

struct call {
  int depth;
  struct call *before;
};
static struct call *last;
static int calls, here[3];
static const char *word = "first";
static int (*operation)(int);
static int *counter = &calls; // another private variable's address
static const char *words[] = {"zero", "one", "two", "three", "four", "five", "six", "seven"};
static char zeros[1 << 20];
static _Thread_local int *local;

static int twice(int x) { return 2 * x; }

static int sum(void) {
  int s = 0;
  for (struct call *c = last; c; c = c->before)
    s += c->depth;
  return s;
}

static int go(int node) {
  int error = skein_push_self(node);
  if (error)
    printf("stayed: %s\n", skein_error_text());
  here[node]++;
  return error;
}

static int nest(int depth, int id) {
  struct call mine = {depth, last};
  int own = 100 * id + depth;
  last = &mine;
  local = &own;
  (*counter)++;
  word = words[depth];
  operation = twice;
  zeros[depth << 17] = (char)(depth + id);
  if (go((skein_node() + 1) % skein_nodes()))
    return -1;
  int bad = *local != own || strcmp(word, words[depth]) || operation(depth) != 2 * depth || last != &mine ||
            zeros[depth << 17] != (char)(depth + id) || counter != &calls;
  if (depth < 7)
    bad += nest(depth + 1, id);
  if (go((skein_node() + 2) % skein_nodes()))
    return -1;
  bad += last != &mine || sum() != depth * (depth + 1) / 2;
  last = mine.before;
  return bad;
}

static void run(int id) {
  int bad = nest(0, id);
  printf("thread %d: %d wrong, %d calls, %d moves\n", id, bad, calls, here[0] + here[1] + here[2]);
}

int main(void) {
  skein_thread_t threads[4];
  calls = 1000; // main's own
  for (int i = 0; i < 4; i++)
    threads[i] = skein_spawn(run, i);
  for (int i = 0; i < 4; i++)
    if (skein_join(threads[i]))
      printf("%s\n", skein_error_text());
  // CHECK-DAG: thread 0: 0 wrong, 8 calls, 16 moves
  // CHECK-DAG: thread 1: 0 wrong, 8 calls, 16 moves
  // CHECK-DAG: thread 2: 0 wrong, 8 calls, 16 moves
  // CHECK-DAG: thread 3: 0 wrong, 8 calls, 16 moves
  // CHECK: main: 1000
  printf("main: %d\n", calls);
  return 0;
}
