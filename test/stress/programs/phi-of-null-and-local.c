// Pointers that are null, a global, a literal or a local, merged at a join and used after calls.
#include "hop.h"

static int global[3] = {100, 200, 300};

static NOINLINE int merged(long way, int *argument) {
  int local[3] = {10, 20, 30};
  const char *name = "none";
  int *p = NULL;
  switch (way) {
  case 1:
    p = local;
    name = "local";
    break;
  case 2:
    p = global;
    name = "global";
    break;
  case 3:
    p = argument;
    name = "argument";
    break;
  case 4:
    p = local + 2;
    break;
  }
  hop();
  const char *kept = name;
  int sum = p ? p[0] : -1;
  if (p && way < 4) {
    p++;
    hop();
    sum += *p;
  }
  hop();
  return sum * 10 + kept[0] % 10 + kept[1] % 7;
}

int main(void) {
  int argument[2] = {1, 2};
  for (long way = 0; way < 5; way++)
    printf("%d\n", merged(hop_long(way), argument));
}
