// PAR of occam: the block is left when all threads of its group have ended; groups can be nested, and wait in whichever
// way they are left.
// RUN: %skeincc -O2 -Werror -pedantic -Wextra -Wno-skein-global %s -o %t && env SKEIN_OPTIONS=workers=1 %t && env SKEIN_OPTIONS=workers=2 %t
// RUN: %skeincc -O0 -fskein-stress=calls -Wno-skein-global %s -o %t && env SKEIN_OPTIONS=workers=1 %t
// RUN: %skeincc -x c++ -O2 -fskein-stress=calls -Wno-skein-global %s -o %t && env SKEIN_OPTIONS=workers=1 %t
// A group that does not wait is noticed, so this test can fail.
// RUN: %skeincc -O1 -DDO_NOT_WAIT -Wno-skein-global %s -o %t && not env SKEIN_OPTIONS=workers=1 %t
#include <skein/par.h>
#include <stdio.h>

#ifdef DO_NOT_WAIT
#undef SKEIN_PAR
#define SKEIN_PAR(name) for (skein_par_t name = {0}, *once = &name; once; once = 0)
#endif

static long ended;

/* A binary tree of threads, each of which has counted its whole subtree when it ends. */
static void tree(int depth) {
  const long before = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
  if (depth)
    SKEIN_PAR(both) {
      skein_par_spawn(both, tree, depth - 1);
      skein_par_spawn(both, tree, depth - 1);
    }
  if (__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST) - before < (1 << (depth + 1)) - 1)
    ended = -1000000;
}

static void leaf(int yields) {
  while (yields--)
    skein_yield();
  __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

static int left_by_return(int number) {
  SKEIN_PAR(all)
  for (int i = 0; i < number; i++) {
    skein_par_spawn(all, leaf, i % 3);
    if (i == 70)
      return (int)skein_par_count(&all);
  }
  return 0;
}

static int left_by_break(int number) {
  const long before = ended;
  SKEIN_PAR(all) {
    skein_par_spawn(all, leaf, number);
    if (number > 1)
      break;
    return -1;
  }
  return (int)(ended - before);
}

static void exits(void) {
  SKEIN_PAR(all) {
    skein_par_spawn(all, leaf, 5);
#ifdef __cplusplus
    skein_exit(0);
#endif
  }
}

int main(void) {
  tree(6);
  if (ended != 127)
    return printf("%ld of 127\n", ended), 1;
  ended = 0;
  if (left_by_return(100) != 71 || ended != 71)
    return printf("%ld of 71\n", ended), 1;
  if (left_by_break(3) != 1)
    return puts("break"), 1;
  ended = 0;
  if (skein_join(skein_spawn(exits)) || ended != 1)
    return puts("exit"), 1;

  /* This group has no block around it, and is used again. */
  skein_par_t some = SKEIN_PAR_INITIALIZER;
  struct skein_attributes named = {.name = "some"};
  for (int round = 1; round < 3; round++) {
    ended = 0;
    for (int i = 0; i < 20 * round; i++)
      if (!skein_par_spawn_with(some, &named, leaf, 1))
        return puts(skein_error_text()), 1;
    if (skein_par_join(&some) || ended != 20 * round || skein_par_count(&some))
      return printf("%ld of %d\n", ended, 20 * round), 1;
  }
  return 0;
}
