// Label addresses in locals, tables of locals, structs, heap blocks, as arguments and differences, live across calls.
#include "hop.h"
#include <stdlib.h>

struct machine {
  void *next;
  const void *const *table;
  int *sp;
  int acc;
};

static NOINLINE int run(const unsigned char *code, int *stack) {
  static const void *const table[] = {&&push, &&add, &&mul, &&dup, &&stop, &&jump};
  struct machine m = {NULL, table, stack, 0};
  void *local[6];
  for (int i = 0; i < 6; i++)
    local[i] = (void *)table[i];
  void **heap = malloc(sizeof local);
  for (int i = 0; i < 6; i++)
    heap[i] = local[5 - i];
  hop();
  int turn = 0;
#define NEXT                                                                                                           \
  do {                                                                                                                 \
    m.next = turn % 3 == 0 ? local[*code] : turn % 3 == 1 ? heap[5 - *code] : (void *)m.table[*code];                  \
    turn++;                                                                                                            \
    code++;                                                                                                            \
    hop();                                                                                                             \
    goto *m.next;                                                                                                      \
  } while (0)
  NEXT;
push:
  *m.sp++ = *code++;
  hop();
  NEXT;
add:
  m.sp--;
  m.sp[-1] += *m.sp;
  NEXT;
mul:
  m.sp--;
  hop();
  m.sp[-1] *= *m.sp;
  NEXT;
dup:
  *m.sp = m.sp[-1];
  m.sp++;
  NEXT;
jump:
  if (--m.sp[-1] > 0)
    code -= *code;
  else
    code++;
  NEXT;
stop:
  free(heap);
  return m.sp[-1] * 100 + (int)(m.sp - stack);
}

static NOINLINE int states(int n) {
  void *after = &&first;
  int sum = 0, *p = &sum;
again:
  hop();
  void *now = after;
  hop();
  goto *now;
first:
  *p += 1;
  after = n & 1 ? &&second : &&third;
  goto again;
second:
  *p += 10;
  after = &&third;
  goto again;
third:
  *p += 100;
  n >>= 1;
  after = n ? &&first : &&last;
  goto again;
last:
  return sum;
}

static NOINLINE int offsets(const char *text) {
  static const int table[] = {&&a - &&a, &&b - &&a, &&c - &&a};
  int n = 0;
  while (*text) {
    int offset = table[*text++ - 'a'];
    hop();
    goto *(&&a + offset);
  a:
    n = n * 2 + 1;
    continue;
  b:
    hop();
    n = n * 3;
    continue;
  c:
    n ^= 7;
  }
  return n;
}

int main(void) {
  int stack[16];
  static const unsigned char code[] = {0, 3, 0, 4, 1, 3, 2, 0, 2, 1, 0, 3, 5, 1, 4};
  for (int i = 0; i < 3; i++)
    printf("%d %d %d\n", run(code, stack), states(i * 5 + 1), offsets("abcabca" + i));
}
