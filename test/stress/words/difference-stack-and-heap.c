// How far a heap block is from a local variable, as a number that the program computes of two unsigned ones.
#include "words.h"

static NOINLINE uintptr_t distance(void *from, void *to) { return (uintptr_t)to - (uintptr_t)from; }

int main(void) {
  long local = 7, *block = malloc(sizeof *block);
  *block = 9;
  uintptr_t seen = distance(&local, block), here = (uintptr_t)block - (uintptr_t)&local;
  hop();
  printf("%ld %ld\n", *(long *)((char *)&local + seen), *(long *)((char *)&local + here));
  free(block);
}
