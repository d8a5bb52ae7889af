// A union of a pointer and a number in a heap block: nobody can tell which it is, so the thread stays while it holds an
// address of its stack.
// flags: -fskein-heap=private
// refused: heap-word
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct cell {
  int is_pointer;
  union {
    long *pointer;
    uint64_t number;
  } value;
};

__attribute__((noinline)) static void put(struct cell *cell, long *pointer) {
  cell->is_pointer = 1;
  cell->value.pointer = pointer;
}
__attribute__((noinline)) static long get(const struct cell *cell) {
  return cell->is_pointer ? *cell->value.pointer : (long)cell->value.number;
}

int main(void) {
  long local = 42;
  struct cell *cell = malloc(sizeof *cell);
  put(cell, &local);
  long first = get(cell);
  cell->is_pointer = 0;
  cell->value.number = 7;
  printf("%ld %ld\n", first, get(cell));
  free(cell);
  return 0;
}
