// rand, random, drand48, strtok, localtime and their kind keep a state, which is the thread's and moves with it.
#define _GNU_SOURCE
#include "hop.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static NOINLINE unsigned words(char *line) {
  unsigned sum = 0;
  for (char *word = strtok(line, " ,"); word; word = strtok(NULL, " ,")) {
    hop();
    sum = sum * 31 + (unsigned)strlen(word) + (unsigned char)word[0];
  }
  return sum;
}

static NOINLINE long drawn(void) {
  char numbers[64];
  char *before = initstate(7, numbers, sizeof numbers);
  long sum = 0;
  for (int i = 0; i < 20; i++) {
    hop();
    sum = (sum * 3 + random()) % 1000003;
  }
  setstate(before);
  return sum;
}

int main(void) {
  char line[] = "one, two three,four  five";
  printf("%u\n", words(line));
  for (int i = 0; i < 5; i++) {
    hop();
    printf("%d %ld ", rand(), random());
  }
  srand(42);
  hop();
  printf("\n%d %d\n", rand(), rand());
  printf("%ld\n", drawn());
  printf("%d\n", rand());
  srandom(7);
  hop();
  printf("%ld\n", random());

  printf("%.17g %ld %ld\n", drand48(), lrand48(), mrand48());
  srand48(99);
  hop();
  printf("%.17g\n", drand48());
  unsigned short seed[3] = {1, 2, 3};
  unsigned short *before = seed48(seed);
  hop();
  printf("%hu %ld\n", before[0], lrand48());

  time_t when = 1000000000;
  struct tm *then = gmtime(&when);
  hop();
  printf("%d-%d-%d %s\n", then->tm_year, then->tm_mon, then->tm_mday, then->tm_zone);
  char *text = asctime(then);
  hop();
  printf("%s", text);
  struct tm *local = localtime(&when);
  hop();
  printf("%d %d\n", local->tm_year, local->tm_zone != NULL);
  char *error = strerror(2);
  hop();
  printf("%s\n", error);
}
