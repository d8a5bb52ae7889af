// A memory stream, a buffer of a stream and a mapped file hold addresses or are addressed.
// changes: process
#include "words.h"
#include <sys/mman.h>
#include <unistd.h>

static NOINLINE long use(long *p) {
  FILE *file = tmpfile();
  if (!file || ftruncate(fileno(file), 4096))
    return -1;
  uintptr_t *room = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  room[0] = (uintptr_t)p;
  room[1] = (uintptr_t)p ^ key();
  hop();
  long sum = *(long *)room[0] * 10 + *(long *)(room[1] ^ key());
  munmap(room, 4096);
  fclose(file);
  return sum;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
