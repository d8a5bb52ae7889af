// Jump buffers everywhere: locals, members, arrays, globals, heap blocks, copies.
#include "hop.h"
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct state {
  int depth;
  char *name;
  jmp_buf out;
  struct state *outer;
};

static jmp_buf global;
static struct state *current;

static NOINLINE void leave(jmp_buf *to, int value) {
  char padding[64];
  memset(padding, value, sizeof padding);
  hop();
  longjmp(*to, padding[3]);
}

static NOINLINE int in_local(int n) {
  jmp_buf here;
  int words[3] = {n, n + 1, n + 2}, *middle = &words[1];
  int got = setjmp(here);
  hop();
  if (!got)
    leave(&here, n + 7);
  return got * 100 + *middle;
}

static NOINLINE int in_global(int n) {
  int mine = n, *p = &mine;
  int got = setjmp(global);
  hop();
  if (!got)
    leave(&global, n + 9);
  return got * 100 + *p;
}

static NOINLINE int in_heap(int n) {
  struct state *state = malloc(sizeof *state);
  int got = setjmp(state->out);
  hop();
  if (!got) {
    state->depth = n;
    leave(&state->out, n + 11);
  }
  got = got * 100 + state->depth;
  free(state);
  return got;
}

static NOINLINE int in_member(int n) {
  char name[8] = "goose";
  struct state state = {.depth = n, .name = name + 1, .outer = NULL};
  int got = setjmp(state.out);
  hop();
  if (!got)
    leave(&state.out, n + 13);
  return got * 100 + state.depth + state.name[0];
}

static NOINLINE int in_array(int n) {
  jmp_buf stages[4];
  volatile int at = 3, sum = 0;
  for (volatile int i = 0; i < 4; i = i + 1) {
    int got = setjmp(stages[i]);
    if (got) {
      sum = sum * 10 + got;
      hop();
      if (at == 0)
        return sum;
      at = at - 1;
      leave(&stages[at], n + at);
    }
  }
  hop();
  leave(&stages[at], n + 1);
  return 0;
}

static NOINLINE int copied(int n) {
  jmp_buf first, copy;
  int got = setjmp(first);
  hop();
  if (!got) {
    memcpy(&copy, &first, sizeof copy);
    memset(&first, 0x5a, sizeof first);
    hop();
    leave(&copy, n + 3);
  }
  return got;
}

// A global buffer saved and set again, as interpreters do.
static NOINLINE int nested(int n) {
  jmp_buf saved;
  memcpy(saved, global, sizeof saved);
  volatile int result = n;
  if (setjmp(global) == 0) {
    hop();
    if (n)
      result = result + nested(n - 1);
    hop();
    leave(&global, 1);
  }
  hop();
  memcpy(global, saved, sizeof saved);
  return result * 2 + 1;
}

int main(void) {
  for (int n = 0; n < 4; n++) {
    printf("%d %d", in_local(n), in_global(n));
    hop();
    printf(" %d %d", in_heap(n), in_member(n));
    printf(" %d %d %d\n", in_array(n), copied(n), nested(n));
  }
  (void)current;
}
