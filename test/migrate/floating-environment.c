/* A thread begins with the floating-point environment that its creator had when it created it (C11 7.6), wherever it
 * begins, and changes no other thread's. A thread that no thread created, such as that of a request, begins with the
 * process's. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -lm -o %t
// RUN: env SKEIN_OPTIONS=workers=1,steal=off %run -n 2 --timeout 30 %t
// RUN: env SKEIN_OPTIONS=workers=2,steal=off,net_delay_us=300 %run -n 2 --timeout 30 %t
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any,steal=off %run -n 2 --timeout 30 %t
// A program that flushes denormals to zero from its first instruction on does so in all threads:
// RUN: %skeincc -O2 -Wno-skein-global -ffast-math -DFLUSHES -I%S/Inputs %s -lm -o %t.fast
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.fast

#include "check.h"

#include <fenv.h>
#include <float.h>
#include <skein/bundle.h>
#include <skein/messages.h>

enum { ROUNDS = 40 };
static const int modes[] = {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD, FE_TOWARDZERO};

static volatile double smallest = DBL_MIN;
#ifdef FLUSHES
#define FLUSH_WANTED 1
#else
#define FLUSH_WANTED 0
#endif
static int flushes(void) { return smallest / 2 == 0; }

static int is(int mode, int raised) {
  int right = fegetround() == mode && fetestexcept(FE_ALL_EXCEPT) == raised && flushes() == FLUSH_WANTED;
  fesetround(FE_TOWARDZERO);
  feraiseexcept(FE_INVALID);
  return right;
}

/* The exceptions are raised by SSE, by the x87 (through feraiseexcept, where libm does it there, and by arithmetic), or
 * by both. */
static void keeps(int which) {
  static const int all[] = {0, FE_DIVBYZERO, FE_OVERFLOW, FE_OVERFLOW | FE_UNDERFLOW | FE_DIVBYZERO, FE_DIVBYZERO};
  fesetround(FE_TONEAREST);
  feclearexcept(FE_ALL_EXCEPT);
  if (which == 4) {
    volatile long double one = 1, zero = 0;
    one = one / zero;
  } else {
    feraiseexcept(all[which]);
  }
  int *words[] = {&which, &which};
  for (int i = 0; i < ROUNDS; i++) {
    CHECK(fetestexcept(FE_ALL_EXCEPT) == all[which]);
    if (i % 5 == *words[i & 1])
      CHECK(skein_push_self(1 - skein_node()) == SKEIN_OK);
    else
      skein_yield();
  }
}

static void begun_by_a_handler(void) { CHECK(is(FE_TONEAREST, 0)); }

SKEIN_THREADED_HANDLER(begins_fresh, message) {
  int right = is(FE_TONEAREST, 0);
  CHECK(skein_reply(message, &right, sizeof right) == SKEIN_OK);
}

/* Runs on a kernel thread of the runtime, where no environment of a thread is left over. */
SKEIN_HANDLER(spawns, message) {
  CHECK(skein_spawn(begun_by_a_handler) != 0);
  skein_reply(message, NULL, 0);
}

static void others(int rounds) { /* what is left on the workers' stacks is theirs */
  fesetround(FE_DOWNWARD);
  feraiseexcept(FE_INVALID | FE_DIVBYZERO);
  for (int i = 0; i < rounds; i++)
    skein_yield();
}

int main(void) {
  struct skein_attributes there = {.node = SKEIN_ON(1)}, here = {.priority = 1};
  skein_thread_t noise[2] = {skein_spawn_with(&there, others, 20000), skein_spawn(others, 20000)};
  for (int i = 0; i < ROUNDS; i++) {
    const int mode = modes[i % 4], raised = i & 4 ? FE_DIVBYZERO : 0;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(mode);
    if (raised)
      feraiseexcept(raised);
    skein_thread_t made[] = {
        skein_spawn(is, mode, raised),
        skein_spawn_with(&here, is, mode, raised),
        skein_spawn_with(&there, is, mode, raised),
        skein_create(&there, is, mode, raised),
        skein_create(&here, is, mode, raised),
        skein_spawn(is, mode, raised),
    };
    CHECK(skein_push(made[5], 1) == SKEIN_OK || skein_push(made[5], 1) == SKEIN_ETHREAD); /* it has begun */
    CHECK(fegetround() == mode && fetestexcept(FE_ALL_EXCEPT) == raised);
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT); /* the environment at the creation counts */
    CHECK(skein_start(made[3]) == SKEIN_OK && skein_start(made[4]) == SKEIN_OK);
    for (unsigned k = 0; k < sizeof made / sizeof *made; k++) {
      int right = 0;
      CHECK(skein_join_result(made[k], &right) == SKEIN_OK && right);
    }
    CHECK(fegetround() == FE_TONEAREST && fetestexcept(FE_ALL_EXCEPT) == 0);
    int right = 0;
    CHECK(skein_call(i & 1, &begins_fresh, NULL, 0, &right, sizeof right, NULL) == SKEIN_OK && right);
    CHECK(skein_call(i & 1, &spawns, NULL, 0, NULL, 0, NULL) == SKEIN_OK);
  }
  skein_thread_t keepers[10];
  for (int i = 0; i < 10; i++)
    keepers[i] = skein_spawn_with(i & 1 ? &here : &there, keeps, i / 2);
  for (int i = 0; i < 10; i++)
    CHECK(skein_join(keepers[i]) == SKEIN_OK);
  CHECK(fegetround() == FE_TONEAREST && fetestexcept(FE_ALL_EXCEPT) == 0);
  CHECK(skein_join(noise[0]) == SKEIN_OK && skein_join(noise[1]) == SKEIN_OK);
  CHECK(skein_quiesce() == SKEIN_OK);
  return 0;
}
