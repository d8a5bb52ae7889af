// C++: checks and conversions happen in each instance of a template, in methods and in lambdas.
// RUN: %plain-skein++ -std=c++20 -O0 -Wall -Wextra -Werror -S -emit-llvm -Xclang -disable-llvm-passes %s -o - | FileCheck %s
// RUN: %plain-skein++ -std=c++20 -fsyntax-only -DREJECT -Xclang -verify %s
#include <skein/skein.h>

static void take(double) {}

template <class T>
struct starter {
  T value;
  void start() { skein_spawn(take, value); }
};

template <class F, class... A>
skein_thread_t start(F *function, A... arguments) {
  return skein_spawn(function, arguments...); // #spawn
}

void use() {
  starter<int>{3}.start();
  start(take, 4);
  auto later = [](short s) { skein_spawn(take, s); };
  later(5);
#ifdef REJECT
  start(take, 1, 2); // expected-error@#spawn {{too many arguments to the spawned function: expected 1, have 2}} expected-note {{in instantiation of 'start' requested here}}
#endif
}

// CHECK-LABEL: define {{.*}}starterIiE5startEv(
// CHECK: sitofp i32
// CHECK: @skein_spawn_(ptr noundef @{{.*}}take{{.*}}, i32 noundef 0, double
// CHECK-LABEL: define {{.*}}startIFvdEJiEE
// CHECK: sitofp i32
// CHECK: @skein_spawn_(ptr noundef %{{.*}}, i32 noundef 0, double
// CHECK-LABEL: define {{.*}}clEs"(
// CHECK: sitofp i32
// CHECK: @skein_spawn_(ptr noundef @{{.*}}take{{.*}}, i32 noundef 0, double
