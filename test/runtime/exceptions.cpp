// C++ exceptions unwind a thread's stack as any other stack. One that is not caught ends the program as ever.
// RUN: %plain-skein++ -O2 -Wno-skein-pinned %s -o %t
// RUN: %t | FileCheck %s
// RUN: not --crash %t uncaught 2>&1 | FileCheck --check-prefix=UNCAUGHT %s

// CHECK: main caught depth 5
// CHECK: thread caught depth 5
// UNCAUGHT: terminate called after throwing an instance of 'std::runtime_error'
#include <cstdio>
#include <skein/skein.h>
#include <stdexcept>

__attribute__((noinline)) static void thrower(int depth) {
  skein_yield();
  if (depth == 0)
    throw std::runtime_error("depth 5");
  thrower(depth - 1);
}

static void catcher(const char *who) {
  try {
    thrower(5);
  } catch (const std::exception &error) {
    std::printf("%s caught %s\n", who, error.what());
  }
}

static void in_thread() { catcher("thread"); }

int main(int count, char **) {
  catcher("main");
  skein_join(skein_spawn(in_thread));
  if (count > 1)
    thrower(3);
}
