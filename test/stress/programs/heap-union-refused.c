// A block of the heap contains a union of a pointer and a number. The address of a local that is stored there moves
// along. But nobody can tell which of the two a copy is, so the thread stays while the copy holds an address of its
// stack.
// flags: -fskein-heap=private
// refused: heap-word
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

__attribute__((noinline)) static void copy(struct cell *to, const struct cell *from) { memcpy(to, from, sizeof *to); }

int main(void) {
  long local = 42;
  struct cell *cell = malloc(sizeof *cell);
  put(cell, &local);
  long first = get(cell);
  struct cell *other = malloc(sizeof *other);
  copy(other, cell);
  first += get(other);
  other->value.number = 0;
  cell->is_pointer = 0;
  cell->value.number = 7;
  printf("%ld %ld\n", first, get(cell));
  free(cell);
  free(other);
  return 0;
}
