// An interpreter whose handlers end in guaranteed tail calls (musttail) and make ordinary calls before.
#include "hop.h"

#if defined(__clang__)
#define TAIL __attribute__((musttail))
#else
#define TAIL
#endif

struct vm {
  const unsigned char *code;
  long *top;
};
typedef long handler(struct vm *vm, const unsigned char *code, long *top);
static handler op_push, op_add, op_dup, op_end;
static handler *const handlers[] = {op_push, op_add, op_dup, op_end};

static long op_push(struct vm *vm, const unsigned char *code, long *top) {
  hop();
  *++top = *code++;
  TAIL return handlers[*code](vm, code + 1, top);
}
static long op_add(struct vm *vm, const unsigned char *code, long *top) {
  top--;
  hop();
  top[0] += top[1];
  TAIL return handlers[*code](vm, code + 1, top);
}
static long op_dup(struct vm *vm, const unsigned char *code, long *top) {
  top[1] = top[0];
  hop();
  vm->top = ++top;
  TAIL return handlers[*code](vm, code + 1, top);
}
static long op_end(struct vm *vm, const unsigned char *code, long *top) {
  hop();
  return *top * 100 + (vm->top - top) * 10 + (code - vm->code);
}

int main(void) {
  long stack[16];
  unsigned char code[] = {0, 7, 2, 1, 2, 1, 0, 5, 1, 2, 2, 1, 3};
  struct vm vm = {code, stack};
  hop();
  printf("%ld\n", handlers[code[0]](&vm, code + 1, stack));
}
