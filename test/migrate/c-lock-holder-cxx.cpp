// The locks of C++ use pthread's. A thread that holds a std::mutex, a shared one, a recursive one, or the guard of a
// static variable stays, and the refusal says where it was taken. A condition_variable lets the other threads of its
// worker run.

// RUN: %skein++ -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skein++ -O2 -static-libstdc++ -I%S/Inputs %s -o %t-static
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 30 %t-static | FileCheck %s

// clang-format off
// CHECK: mutex: skein_push_self: it holds the pthread_mutex_t `{{.*}}mutex`, taken in `holds` ({{.*}}:[[#]])
// CHECK: recursive: skein_push_self: it holds the pthread_mutex_t `{{.*}}recursive`, taken in `holds`
// CHECK: shared: skein_push_self: it holds the pthread_rwlock_t (to read) `{{.*}}shared`, taken in `holds`
// CHECK: guard: skein_push_self: it holds the guard of the static variable `{{.*}}made`, taken in `{{.*}}` ({{.*}}:[[#]])
// CHECK: guards: 7 7 7
// CHECK: thrown: made at the second time, and it moved
// CHECK: condition: 10
// CHECK: all well
// clang-format on

#include "check.h"
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <skein/skein.h>

static std::mutex mutex;
static std::recursive_mutex recursive;
static std::shared_mutex shared;
static std::condition_variable ring;
static int rung;

static void stays(const char *what) {
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  std::printf("%s: %s\n", what, skein_error_text());
}
static void leaves() { CHECK(skein_push_self(1) == 0 && skein_push_self(0) == 0); }

static void holds() {
  {
    std::lock_guard<std::mutex> guard(mutex);
    stays("mutex");
  }
  leaves();
  {
    std::unique_lock<std::recursive_mutex> once(recursive), twice(recursive);
    once.unlock();
    stays("recursive");
  }
  leaves();
  {
    std::shared_lock<std::shared_mutex> guard(shared);
    stays("shared");
  }
  leaves();
}

struct Made {
  int value;
  explicit Made(bool tells) : value(7) {
    if (tells)
      stays("guard");
    for (int i = 0; i < 5; i++)
      skein_yield(); // others ask for it meanwhile
  }
};
static int once_made() {
  static Made made(true);
  return made.value;
}
static void asks(int *result) { *result = once_made(); }

struct Throws {
  explicit Throws(bool now) {
    if (now)
      throw 1;
  }
};
static void made_or_thrown(bool now) { static Throws made(now); }
static void throws() {
  try {
    made_or_thrown(true);
  } catch (int) {
  }
  leaves();
  made_or_thrown(false);
  leaves();
  std::printf("thrown: made at the second time, and it moved\n");
}

static void waits() {
  std::unique_lock<std::mutex> guard(mutex);
  ring.wait(guard, [] { return rung > 0; });
  rung++;
}

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  CHECK(skein_join(skein_spawn(holds)) == 0);
  static int results[3];
  skein_thread_t three[3];
  for (int i = 0; i < 3; i++)
    three[i] = skein_spawn(asks, &results[i]);
  for (skein_thread_t one : three)
    CHECK(skein_join(one) == 0);
  std::printf("guards: %d %d %d\n", results[0], results[1], results[2]);
  CHECK(skein_join(skein_spawn(throws)) == 0);
  skein_thread_t nine[9];
  for (skein_thread_t &one : nine)
    one = skein_spawn(waits);
  skein_yield();
  {
    std::lock_guard<std::mutex> guard(mutex);
    rung = 1;
  }
  ring.notify_all();
  for (skein_thread_t one : nine)
    CHECK(skein_join(one) == 0);
  std::printf("condition: %d\n", rung);
  std::puts("all well");
  return 0;
}
