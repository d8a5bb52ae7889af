/* A thread with more on its stack than a message carries at once, and main with its large stack, hop over both
 * transports. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=stack=2M %run -n 2 --timeout 30 %t
// RUN: env SKEIN_OPTIONS=stack=2M %run -n 2 --timeout 30 --transport tcp %t
// RUN: env SKEIN_OPTIONS=stack=2M,stacks=reserve %run -n 3 --timeout 30 %t

#include "check.h"

enum { count = 100000 };

static void hop_with_much(skein_shared int *done) {
  long numbers[count], *middle = numbers + count / 2; /* 800 KB */
  for (int i = 0; i < count; i++)
    numbers[i] = i * 3L;
  for (int hop = 0; hop < 6; hop++) {
    CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
    CHECK(middle == numbers + count / 2);
    for (int i = 0; i < count; i++)
      CHECK(numbers[i] == i * 3L + hop * (i == 7));
    numbers[7]++;
  }
  *done = 1;
}

int main(void) {
  skein_shared int *done = skein_shared_alloc(0, sizeof(int));
  CHECK(skein_join(skein_spawn(hop_with_much, done)) == SKEIN_OK);
  CHECK(*done == 1);
  *done = 0;
  hop_with_much(done);
  CHECK(*done == 1);
  return 0;
}
