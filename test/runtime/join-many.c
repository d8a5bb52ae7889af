/* So many threads wait in skein_join, each for another thread, which end then: what one costs does not depend on how
 * many there are. Counted in instructions.
 *
 * RUN: %skeincc -O2 -s %s -o %t
 * RUN: %python %S/Inputs/instructions_a_thread.py %t 1000 100000
 */
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

static void nothing(void) {}

static void wait_for(skein_thread_t thread, long *waiting) {
  ++*waiting;
  if (skein_join(thread))
    exit(1);
}

int main(int argc, char **argv) {
  (void)argc;
  struct skein_attributes none = {0};
  long count = atol(argv[1]);
  skein_thread_t *joined = malloc(sizeof *joined * count), *waiters = malloc(sizeof *waiters * count);
  long *waiting = calloc(1, sizeof *waiting);
  for (long i = 0; i < count; i++)
    joined[i] = skein_create(&none, nothing);
  for (long i = 0; i < count; i++)
    waiters[i] = skein_spawn(wait_for, joined[i], waiting);
  while (*waiting < count)
    skein_yield();
  for (long i = 0; i < count; i++)
    if (skein_start(joined[i]))
      return 1;
  for (long i = 0; i < count; i++)
    if (skein_join(waiters[i]))
      return 1;
  return 0;
}
