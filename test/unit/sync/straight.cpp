// Spawn, join and a thread's end have quick ways. They must be taken, and a program must not be able to tell the
// difference.
#include "../alone.h"
#include "base/tally.h"
#include "sched/bundle.h"

#include <cerrno>
#include <cfenv>
#include <pthread.h>
#include <random>
#include <skein/sync.h>
#include <string>

using namespace skein;
using namespace skein::test;

namespace {

#ifndef SKEIN_FIBERS // a sanitizer wants to hear of each switch, so there is only the long way

/// A value that changes as soon as anything runs on the worker's stack.
volatile uint64_t &witness() { return static_cast<volatile uint64_t *>(skein_processor->stack_top)[-1]; }
constexpr uint64_t untouched = 0x756e746f75636864;

void null() {}

TEST(Straight, JoinAndBackWithoutTheWorkersStack) {
  alone([] {
    if (!barrier_asymmetric)
      return 0;
    skein_join(spawn(null)); // now there are a record and a stack at hand
    witness() = untouched;
    for (int i = 0; i < 1000; i++)
      if (skein_join(spawn(null)) != SKEIN_OK)
        return 1;
    if (witness() != untouched)
      return 2;
    uint64_t ids[16];
    for (uint64_t &id : ids)
      id = spawn(null);
    for (uint64_t id : ids)
      skein_join(id);
    if (tally_left(Tally::begun, Tally::gone) != 1 || bundles_ready() != 0 || bundles_ready_started() != 0)
      return 3;
    return 0;
  });
}

/// Uses so many stacks at once, which are at hand afterwards.
void nest(int depth) {
  if (depth)
    skein_join(spawn(nest, depth - 1));
}

std::atomic<bool> computes, enough;

TEST(Straight, WithAnotherWorkerThatIsBusy) {
  alone(
      [] {
        if (!barrier_asymmetric)
          return 0;
        const uint64_t busy = spawn(+[] {
          computes = true;
          while (!enough)
            __builtin_ia32_pause();
        });
        // The spinner runs on the other worker, so from here on no worker takes anything from this one.
        while (!computes)
          skein_yield();
        skein_join(spawn(nest, 4));
        uint64_t ids[8];
        for (int i = 0; i < 100; i++) {
          for (uint64_t &id : ids)
            id = spawn(null);
          for (uint64_t id : ids)
            if (skein_join(id) != SKEIN_OK)
              return 2;
          if (i == 0) // now there are records and stacks at hand
            witness() = untouched;
        }
        for (int i = 0; i < 5000; i++)
          if (skein_join(spawn(null)) != SKEIN_OK)
            return 1;
        const bool quick = witness() == untouched;
        enough = true;
        skein_join(busy);
        return quick ? 0 : 3;
      },
      2);
}

#endif

// --- nobody can tell -------------------------------------------------------------------------------------------------

struct Trace {
  uint64_t hash = 0xcbf29ce484222325, steps = 0;
  void operator()(uint64_t what) {
    hash = (hash ^ what) * 0x100000001b3;
    steps++;
  }
};
Trace trace;
std::mt19937_64 *dice;
skein_mutex_t mutex;
unsigned budget;

uint64_t act(uint64_t depth, uint64_t name);
uint64_t spawn_act(uint64_t depth, uint64_t name) {
  const uint64_t words[] = {depth, name};
  return __skein_spawn(reinterpret_cast<void (*)(void)>(act), words, 2,
                       static_cast<uint32_t>(SKEIN_RESULT_UNSIGNED + 2 * 3) << SKEIN_RESULT_SHIFT);
}

uint64_t act(uint64_t depth, uint64_t name) {
  trace(name);
  uint64_t children[4], count = 0;
  for (int i = 0; i < 6; i++)
    switch ((*dice)() % 8) {
    case 0:
    case 1:
    case 2:
      if (depth < 6 && count < 4 && budget) {
        budget--;
        children[count++] = spawn_act(depth + 1, name * 8 + static_cast<uint64_t>(i));
      }
      break;
    case 3:
      if (count) {
        const uint64_t which = (*dice)() % count, child = children[which];
        children[which] = children[--count];
        trace(static_cast<uint64_t>(skein_join(child)));
        uint64_t result = 0;
        trace(static_cast<uint64_t>(skein_joined_(&result, sizeof result, 1)));
        trace(result);
      }
      break;
    case 4:
      skein_yield();
      break;
    case 5:
      skein_mutex_lock(&mutex);
      skein_yield();
      skein_mutex_unlock(&mutex);
      break;
    case 6:
      if (count)
        skein_yield_to(children[(*dice)() % count]);
      break;
    default:
      if (count && (*dice)() % 4 == 0)
        skein_cancel(children[--count]);
    }
  trace(name + 1);
  while (count && (*dice)() % 3)
    trace(static_cast<uint64_t>(skein_join(children[--count])));
  return name;
}

/// What the threads of one seed do, and in which order. Returns their number if nothing is left over in the end.
Trace acted(uint64_t seed, bool quick) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (!child)
    _exit(in_scheduler_returning(1, [&] {
      long_way(long_bundles, !quick);
      std::mt19937_64 random(seed);
      dice = &random;
      mutex = SKEIN_MUTEX_INITIALIZER;
      budget = 300;
      skein_join(spawn_act(0, 1));
      while (threads_living() > 1)
        skein_yield();
      trace(tally_sum(Tally::spawned));
      trace(tally_sum(Tally::ended));
      trace(bundles_ready() + bundles_ready_started());
      return write(ends[1], &trace, sizeof trace) == sizeof trace ? 0 : 2;
    }));
  Trace seen;
  close(ends[1]);
  EXPECT_EQ(read(ends[0], &seen, sizeof seen), static_cast<ssize_t>(sizeof seen)) << "seed " << seed;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "seed " << seed;
  return seen;
}

TEST(Straight, TheOrderIsThatOfTheLongWay) {
  uint64_t steps = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    const Trace quick = acted(seed, true), slow = acted(seed, false);
    ASSERT_EQ(quick.steps, slow.steps) << "seed " << seed;
    ASSERT_EQ(quick.hash, slow.hash) << "seed " << seed;
    steps += quick.steps;
  }
  EXPECT_GT(steps, 10000u);
}

// --- what is a thread's own ------------------------------------------------------------------------------------------

int wrong;

void changes() {
  if (errno != 0 || fegetround() != FE_UPWARD || fetestexcept(FE_ALL_EXCEPT) != FE_DIVBYZERO)
    wrong = 1; // a thread begins with what its creator has
  errno = 7;
  fesetround(FE_DOWNWARD);
  feraiseexcept(FE_INVALID);
}

TEST(Straight, TheJoinerKeepsWhatIsItsOwn) {
  alone([] {
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    for (int i = 0; i < 100; i++) {
      errno = 5;
      skein_join(spawn(changes));
      if (errno != 5 || fegetround() != FE_UPWARD || fetestexcept(FE_ALL_EXCEPT) != FE_DIVBYZERO)
        return 2;
    }
    return wrong;
  });
}

// --- in the middle ---------------------------------------------------------------------------------------------------

std::atomic<long> counted;
std::atomic<bool> over;

void *comes(void *delay) {
  usleep(static_cast<useconds_t>(reinterpret_cast<uintptr_t>(delay)));
  for (int i = 0; i < 50; i++)
    spawn(+[] { counted++; });
  over = true;
  return nullptr;
}

TEST(Straight, SomebodyComesInTheMiddle) {
  for (uintptr_t delay = 0; delay < 8; delay++)
    alone([delay] {
      pthread_t kernel_thread;
      pthread_create(&kernel_thread, nullptr, comes, reinterpret_cast<void *>(200 * delay));
      long mine = 0;
      static long ran;
      while (!over || counted < 50) {
        if (skein_join(spawn(+[] { ran++; })) != SKEIN_OK)
          return 1;
        mine++;
      }
      pthread_join(kernel_thread, nullptr);
      return alone_state.load() == RuntimeUsers::many && ran == mine ? 0 : 2;
    });
}

/// The thread that waits is cancelled, and another one waits as well for the thread that it waits for.
TEST(Straight, TheJoinerIsCancelledMeanwhile) {
  alone([] {
    static int after;
    static uint64_t joiner, other;
    joiner = spawn(+[] {
      skein_join(spawn(+[] {
        static const uint64_t self = skein_self();
        other = spawn(+[] { after += skein_join(self) == SKEIN_OK ? 1 : 100; });
        skein_yield();
        skein_cancel(joiner);
        skein_yield();
      }));
      after += 100;
    });
    skein_join(joiner);
    skein_join(other);
    return after == 1 ? 0 : 1;
  });
}

} // namespace
