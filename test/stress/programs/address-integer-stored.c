// The address of a local as a number in a field of a struct that a callee filled, and a pointer again two calls later.
// refused: number
#include "hop.h"

struct handle {
  int kind;
  uint64_t handle;
};

static NOINLINE void open_handle(struct handle *h, int *target) {
  hop();
  h->kind = *target & 1;
  h->handle = (uint64_t)(uintptr_t)target;
  hop();
}

static NOINLINE int read_handle(const struct handle *h) {
  hop();
  return *(int *)(uintptr_t)h->handle * 2 + h->kind;
}

int main(void) {
  int targets[5] = {10, 21, 32, 43, 54};
  struct handle h[5];
  for (int i = 0; i < 5; i++)
    open_handle(&h[i], &targets[i]);
  for (int i = 4; i >= 0; i--)
    printf("%d\n", read_handle(&h[i]));
}
