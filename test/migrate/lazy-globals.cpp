// With moves=lazy most pages of a thread's private globals stay behind when it moves, and follow it, as those of its
// heap do. Threads and main read and write theirs at random while the pages come, also by system calls, and kernel
// threads that they start then. Nothing of their memory is ever wrong.
//
// RUN: %skein++ -std=c++20 -O2 -fskein-globals=private -Wno-skein-kernel-thread %s -o %t -pthread
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=64K,move_report=on \
// RUN:   %run -n 3 --timeout 100 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=64K,move_report=on,stacks=reserve,net_delay_us=300,workers=2 \
// RUN:   %run -n 3 --timeout 100 %t 2>&1 | FileCheck %s
//
// CHECK-DAG: main: 0 mistakes
// CHECK-DAG: threads: 0 mistakes
// CHECK-DAG: moves: node 0: {{[1-9][0-9]*}} moves left memory behind; {{[1-9][0-9]*}} pages were fetched
// CHECK-NOT: all memory was taken along {{[0-9]+}} times: {{a|th}}
//
// A private variable with pointers at odd places would hide them from who looks through its page.
//
// RUN: %skein++ -std=c++20 -O2 -fskein-globals=private -Wno-skein-kernel-thread -DPACKED %s -o %t-packed -pthread
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=64K,move_report=on \
// RUN:   %run -n 3 --timeout 100 %t-packed 2>&1 | FileCheck --check-prefix=PACKED %s
//
// PACKED-DAG: threads: 0 mistakes
// PACKED-DAG: moves: node 0: 0 moves left memory behind
// PACKED-DAG: all memory was taken along {{[1-9][0-9]*}} times: a type or private variable of the program has pointers
// at
#include <pthread.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { count = 1 << 18, sparse_count = 1 << 20, steps = 4 };

static int twice(int of) { return 2 * of; }
static int square(int of) { return of * of; }

static long numbers[count];                             // what a thread has written
static unsigned char changed[count];                    // how often a number was written again
static long given[4096] = {1, 2, 3};                    // with an initial value
static long sparse[sparse_count];                       // most of it is never touched
static int (*functions[2048])(int);                     // these pages lead to the program, and go along
static long *into_numbers[2048];                        // these lead to the thread's own
static thread_local long of_kernel_thread[1024] = {17}; // each kernel thread has its own
static long of_main = twice(21);                        // initialised before main, in main's copy
#ifdef PACKED
static struct [[gnu::packed]] {
  char odd;
  int (*function)(int);
} packed[7];
#endif

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}
static long expected(long seed, size_t i) { return (seed + 3 * changed[i]) * 1000003 + static_cast<long>(i); }

static int push(int to) {
  if (!skein_push_self(to))
    return 0;
  printf("refused: %s\n", skein_error_text());
  return 1;
}

static int wrong_numbers(long seed) {
  int wrong = 0;
  for (size_t i = 0; i < count; i++)
    wrong += numbers[i] != expected(seed, i);
  for (size_t i = 0; i < 2048; i++)
    wrong += functions[i](3) != (i % 2 ? 9 : 6) || *into_numbers[i] != expected(seed, i * 100);
  return wrong + (given[0] != 1) + (given[2] != 3) + (given[4095] != seed);
}

// From one page that may be missing, and into another one.
static int system_calls(long seed) {
  int ends[2], wrong = 0;
  if (pipe(ends))
    return 1;
  const size_t from = count / 2 + 77, to = count / 4 + 3;
  wrong += write(ends[1], numbers + from, 64) != 64;
  wrong += read(ends[0], numbers + to, 64) != 64;
  for (size_t i = 0; i < 8; i++) {
    wrong += numbers[to + i] != expected(seed, from + i);
    changed[to + i]++;
    numbers[to + i] = expected(seed, to + i);
  }
  close(ends[0]);
  close(ends[1]);
  return wrong;
}

// In a kernel thread: sees the variables of the thread that started it, and has thread-local ones of its own.
static void *look(void *) {
  const long seed = given[4095];
  int wrong = of_kernel_thread[0] != 17 || of_kernel_thread[1023] != 0;
  of_kernel_thread[1023] = 5;
  for (size_t i = 0; i < count; i += 99)
    wrong += numbers[i] != expected(seed, i);
  return reinterpret_cast<void *>(static_cast<intptr_t>(wrong));
}
[[gnu::noinline]] static int kernel_thread_looks(long seed) { // its frame has an address of the process heap
  pthread_t thread;
  void *wrong = nullptr;
  if (pthread_create(&thread, nullptr, look, nullptr) || pthread_join(thread, &wrong))
    return 1;
  return static_cast<int>(reinterpret_cast<intptr_t>(wrong)) + (of_kernel_thread[1023] != seed);
}

static int wander(long number) {
  uint64_t random = 88172645463325252u + static_cast<uint64_t>(number) * 1000003u;
  const long seed = static_cast<long>(next(&random) >> 50);
  int wrong = 0;
  for (size_t i = 0; i < count; i++)
    numbers[i] = expected(seed, i);
  for (size_t i = 0; i < 2048; i++) {
    functions[i] = i % 2 ? square : twice;
    into_numbers[i] = &numbers[i * 100];
  }
  given[4095] = of_kernel_thread[1023] = seed;
#ifdef PACKED
  packed[number % 7].function = number % 2 ? square : twice;
#endif
  for (int step = 0; step < steps; step++) {
    wrong += push(static_cast<int>((static_cast<uint64_t>(skein_node()) + 1 + next(&random) % 2) % 3));
    if (step == 2 && number % 2 == 0)
      wrong += kernel_thread_looks(seed);
    wrong += system_calls(seed);
    for (int i = 0; i < 300; i++) {
      const size_t at = next(&random) % count, far = next(&random) % sparse_count;
      wrong += numbers[at] != expected(seed, at);
      changed[at]++;
      numbers[at] = expected(seed, at);
      wrong += sparse[far] && sparse[far] != static_cast<long>(far);
      sparse[far] = static_cast<long>(far);
    }
    if (step == 1)
      wrong += wrong_numbers(seed);
  }
#ifdef PACKED
  wrong += packed[number % 7].function(3) != (number % 2 ? 9 : 6);
#endif
  if (number % 3 == 0)
    return wrong + push((skein_node() + 1) % 3); // ends right after a move, with all that is still elsewhere
  return wrong + wrong_numbers(seed) + (of_kernel_thread[1023] != seed) + (of_kernel_thread[0] != 17);
}

int main() {
  enum { threads = 5 };
  skein_thread_t all[threads];
  int wrong = 0;
  for (long i = 0; i < threads; i++)
    all[i] = skein_spawn(wander, i);
  for (skein_thread_t thread : all) {
    int result = 1;
    wrong += skein_join_result(thread, &result) != 0;
    wrong += result;
  }
  printf("threads: %d mistakes\n", wrong);
  wrong = wander(1) + (of_main != 42);
  printf("main: %d mistakes\n", wrong); // it ends with most of it elsewhere
  return push(1);
}
