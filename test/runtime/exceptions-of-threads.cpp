// Each thread handles its own exceptions, although all share a kernel thread: handlers and destructors that unwinding
// runs give way to others that do the same. An exception that an exception_ptr still holds outlives its thread.
// RUN: %skein++ -O2 -std=c++20 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3 %t | FileCheck %s

// CHECK: 20 threads, sum 630
// CHECK: kept: of thread 7
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <skein/skein.h>
#include <stdexcept>
#include <string>

#define CHECK(condition) \
  ((condition) ? (void)0 : (std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition), std::abort()))

static std::atomic<long> sum;

struct Yields {
  int before = std::uncaught_exceptions();
  ~Yields() {
    skein_yield();
    CHECK(std::uncaught_exceptions() == before + 1);
  }
};

static void throw_one(int number) {
  Yields yields;
  throw number;
}

static void work(int number) {
  for (int round = 0; round < 3; round++)
    try {
      throw_one(number);
    } catch (int outer) {
      skein_yield();
      try {
        throw_one(number + 100);
      } catch (int inner) {
        skein_yield();
        sum += inner - outer == 100 ? outer : 1000000;
      }
      try {
        skein_yield();
        throw; // this is not the one that another thread handles
      } catch (int again) {
        skein_yield();
        sum += again == number ? 1 : 1000000;
      }
    }
  CHECK(!std::current_exception());
}

static std::exception_ptr kept;

static void keep(int number) {
  try {
    throw std::runtime_error("of thread " + std::to_string(number));
  } catch (...) {
    kept = std::current_exception();
  }
}

int main() {
  skein_thread_t threads[20];
  for (int i = 0; i < 20; i++)
    threads[i] = skein_spawn(work, i);
  for (skein_thread_t thread : threads)
    skein_join(thread);
  std::printf("%zu threads, sum %ld\n", sizeof threads / sizeof *threads, sum.load());
  skein_join(skein_spawn(keep, 7));
  try {
    std::rethrow_exception(kept);
  } catch (const std::runtime_error &error) {
    std::printf("kept: %s\n", error.what());
  }
}
