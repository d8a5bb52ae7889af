/* A stack machine with computed goto; its program calls procedures and built-in functions through a table. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
enum { PUSH, LOAD, STORE, ADD, SUB, LESS, JUMP_ZERO, JUMP, CALL, BUILTIN, HALT };
struct machine {
  long *sp, *frame;
  long stack[256];
  long variables[8];
};
typedef void (*builtin)(struct machine *);
__attribute__((noinline)) static void scramble(struct machine *m) {
  m->sp[-1] = (m->sp[-1] * 1103515245 + 12345) & 0x7fffffff;
}
__attribute__((noinline)) static void largest(struct machine *m) {
  m->sp--;
  if (m->sp[0] > m->sp[-1])
    m->sp[-1] = m->sp[0];
}
static const builtin builtins[] = {scramble, largest};
__attribute__((noinline)) static long run(struct machine *m, const long *code) {
  static const void *const labels[] = {&&push,      &&load, &&store, &&add,     &&sub, &&less,
                                       &&jump_zero, &&jump, &&call,  &&builtin, &&halt};
  const long *pc = code;
#define NEXT goto *labels[*pc++]
  NEXT;
push:
  *m->sp++ = *pc++;
  NEXT;
load:
  *m->sp++ = m->variables[*pc++];
  NEXT;
store:
  m->variables[*pc++] = *--m->sp;
  NEXT;
add:
  m->sp--;
  m->sp[-1] += m->sp[0];
  NEXT;
sub:
  m->sp--;
  m->sp[-1] -= m->sp[0];
  NEXT;
less:
  m->sp--;
  m->sp[-1] = m->sp[-1] < m->sp[0];
  NEXT;
jump_zero: {
  long to = *pc++;
  if (!*--m->sp)
    pc = code + to;
}
  NEXT;
jump:
  pc = code + *pc;
  NEXT;
call:
  run(m, code + *pc++);
  NEXT;
builtin:
  builtins[*pc++](m);
  NEXT;
halt:
  return m->sp[-1];
#undef NEXT
}
int main(void) {
  static const long code[] = {
      /*  0 */ LOAD, 0, JUMP_ZERO, 27,                         /* while (v0) { */
      /*  4 */ LOAD, 1, BUILTIN,   0,    STORE,   1,           /*   v1 = scramble(v1) */
      /* 10 */ LOAD, 1, LOAD,      2,    BUILTIN, 1, STORE, 2, /* v2 = largest(v1, v2) */
      /* 18 */ LOAD, 0, CALL,      30,   STORE,   0,           /*   v0 = less_one(v0) } */
      /* 24 */ JUMP, 0, HALT,
      /* 27 */ LOAD, 2, HALT,            /* return v2 */
      /* 30 */ PUSH, 1, SUB,       HALT, /* less_one */
  };
  struct machine m;
  long total = 0;
  m.variables[1] = 42;
  for (int i = 0; i < ROUNDS(1600000); i++) {
    m.sp = m.stack;
    *m.sp++ = 0;
    m.variables[0] = 5 + i % 20;
    m.variables[2] = 0;
    total += run(&m, code) % 1000;
  }
  printf("%ld\n", total);
  return 0;
}
