// Blocks of megabytes, which have extents of their own: pointers to locals inside, growth, exit handlers that free.
// flags: -fskein-heap=private
// options: stress_scan=0,stress_every=3
#include "hop.h"
#include <stdlib.h>
#include <string.h>

struct slot {
  long *where;
  long what;
};

static struct slot *kept;

static void at_exit(void) {
  printf("kept %ld\n", kept[99999].what);
  free(kept);
}

static long look(const struct slot *slots, size_t count) {
  long sum = 0;
  hop();
  for (size_t i = 0; i < count; i += 1000)
    if (slots[i].where)
      sum += *slots[i].where + slots[i].what;
  return sum;
}

int main(void) {
  long values[10] = {0};
  size_t count = 100000;
  struct slot *slots = calloc(count, sizeof *slots);
  for (size_t i = 0; i < count; i++) {
    slots[i].where = i % 5000 == 0 ? &values[i / 5000 % 10] : NULL;
    slots[i].what = (long)i;
  }
  for (int i = 0; i < 10; i++) {
    values[i] = i * i;
    printf("%ld\n", look(slots, count));
  }
  for (int i = 0; i < 3; i++) {
    slots = realloc(slots, 2 * count * sizeof *slots);
    memset(slots + count, 0, count * sizeof *slots);
    count *= 2;
    printf("%ld\n", look(slots, count));
  }
  for (size_t i = 0; i < count; i++)
    slots[i].where = NULL;
  kept = slots;
  atexit(at_exit);
  return 0;
}
