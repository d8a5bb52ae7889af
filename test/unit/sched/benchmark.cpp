// This measures what a switch, a yield, a spawn and a semaphore cost on one worker. The tests do not run it:
//
//     ninja -C build/release bench-sched && build/release/test/unit/bench-sched
#include "../in_scheduler.h"
#include "../local_semaphore.h"

#include <benchmark/benchmark.h>

using namespace skein;
using namespace skein::test;

namespace {

bool over;

void yield_until_over() {
  while (!over)
    skein_yield();
}

/// A thread switches to the worker's stack and back, while no other is ready.
void yield_alone(benchmark::State &state) {
  in_scheduler(1, [&] {
    for (auto _ : state)
      skein_yield();
  });
}

/// A thread switches to another one and back: two switches, with queueing.
void yield_to_another_and_back(benchmark::State &state) {
  over = false;
  in_scheduler(1, [&] {
    uint64_t other = spawn(yield_until_over);
    skein_yield();
    for (auto _ : state)
      skein_yield();
    over = true;
    skein_join(other);
  });
}

/// This is a thread's whole life: record, stack, two switches, end.
void spawn_and_join(benchmark::State &state) {
  in_scheduler(1, [&] {
    for (auto _ : state)
      skein_join(spawn(+[] {}));
  });
}

void spawn_many_then_join(benchmark::State &state) {
  static uint64_t ids[1000];
  in_scheduler(1, [&] {
    for (auto _ : state) {
      for (uint64_t &id : ids)
        id = spawn(+[] {});
      for (uint64_t id : ids)
        skein_join(id);
    }
  });
  state.SetItemsProcessed(state.iterations() * 1000);
}

void semaphore_ping_pong(benchmark::State &state) {
  static Semaphore *there, *back;
  Semaphore one(0), other(0);
  there = &one;
  back = &other;
  over = false;
  in_scheduler(1, [&] {
    uint64_t id = spawn(+[] {
      for (;;) {
        test_semaphore_wait(there);
        if (over)
          return;
        back->signal();
      }
    });
    for (auto _ : state) {
      there->signal();
      test_semaphore_wait(back);
    }
    over = true;
    there->signal();
    skein_join(id);
  });
}

BENCHMARK(yield_alone);
BENCHMARK(yield_to_another_and_back);
BENCHMARK(spawn_and_join);
BENCHMARK(spawn_many_then_join);
BENCHMARK(semaphore_ping_pong);

} // namespace

BENCHMARK_MAIN();
