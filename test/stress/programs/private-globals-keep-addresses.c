// options: stress_heap=1048576
// Private globals of every kind hold addresses of locals, of string literals, of functions and of each other.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int value;
  struct node *next;
};

#ifdef __SKEIN__
#include <skein/private.h>
#else
#define SKEIN_PRIVATE
#endif

SKEIN_PRIVATE struct node *head;                        // zero at first
static SKEIN_PRIVATE struct node anchor = {7, &anchor}; // leads to itself
SKEIN_PRIVATE int *const *table[3];                     // of pointers to pointers
static SKEIN_PRIVATE int numbers[8] = {1, 2, 3};
static SKEIN_PRIVATE int *last = &numbers[7]; // another one's address
static SKEIN_PRIVATE const char *word = "first";
static SKEIN_PRIVATE int (*operation)(int);
static int *const fixed = numbers; // a constant that mentions one
SKEIN_PRIVATE char large[1 << 20];
static SKEIN_PRIVATE struct __attribute__((packed)) {
  char tag;
  int *to;
} odd;
static _Thread_local int *local_to_thread;

static int twice(int x) { return 2 * x; }

__attribute__((noinline)) static int sum(void) {
  int s = 0;
  for (struct node *n = head; n; n = n->next)
    s += n->value;
  return s;
}

__attribute__((noinline)) static void push(int depth) {
  static SKEIN_PRIVATE int calls = 40;
  struct node mine = {depth, head};
  int here = depth;
  int *pointer = &here;
  head = &mine;
  table[depth % 3] = &pointer;
  odd.to = &here;
  local_to_thread = pointer;
  if (depth < 12)
    push(depth + 1);
  else
    printf("list of %d, deepest %d %d %d\n", sum(), **table[depth % 3], *odd.to, *local_to_thread);
  calls++;
  numbers[depth % 8] += calls + *pointer;
  head = mine.next;
  odd.to = local_to_thread = NULL;
  table[depth % 3] = NULL;
}

int main(void) {
  operation = twice;
  odd.tag = 'o';
  memset(large, 'x', sizeof large);
  push(0);
  word = word[0] == 'f' ? "second" : "third";
  for (int i = 0; i < 8; i++)
    printf("%d ", operation(numbers[i]));
  printf("%d %d %s %c%c%c\n", *last, anchor.next->next->value, word, large[0], large[sizeof large - 1], odd.tag);
  printf("%d %d\n", fixed == numbers, fixed[2] == numbers[2]);
  return head != NULL;
}
