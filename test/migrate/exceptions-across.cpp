// A thread that handles an exception moves to another node and goes on there: it reads what was thrown, throws it
// again, and the frames that are unwound have come along. Destructors that unwinding runs move, too. An exception whose
// content stays behind keeps its thread, and the refusal says why.
//
// RUN: %skein++ -O2 -std=c++20 -fskein-heap=private -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 2 --timeout 60 %t | FileCheck %s
// RUN: %skein++ -O0 -std=c++20 -fskein-heap=private -I%S/Inputs %s -o %t.0
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 60 %t.0 | FileCheck %s
//
// CHECK: number: thrown on 0, caught again on 1, 3 destructors
// CHECK: pointer: it leads to the local
// CHECK: derived: two words, on 1
// CHECK: flying: handled on 1, thrown on 0
// CHECK: kept: 2.5 on 1
// CHECK: refused: {{.*}} the exception it throws or handles, of type `Refers`,

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <skein/skein.h>
#include <string>

#define CHECK(condition)                                                                                               \
  ((condition) ? (void)0 : (std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition), std::abort()))

struct Counts {
  int *sum;
  ~Counts() { ++*sum; }
};

[[gnu::noinline]] static void thrower(int *destroyed) {
  Counts counts{destroyed};
  throw skein_node();
}

[[gnu::noinline]] static void mover(int *destroyed, int to) {
  Counts counts{destroyed};
  try {
    Counts inner{destroyed};
    thrower(destroyed);
  } catch (int &) {
    CHECK(skein_push_self(to) == 0);
    throw;
  }
}

static void number() {
  int destroyed = 0;
  try {
    mover(&destroyed, 1);
  } catch (int from) {
    std::printf("number: thrown on %d, caught again on %d, %d destructors\n", from, skein_node(), destroyed);
  }
}

static void pointer() {
  int local = 7;
  try {
    throw &local;
  } catch (int *thrown) {
    CHECK(skein_push_self(1) == 0);
    try {
      throw;
    } catch (int *again) {
      std::printf("pointer: %s\n", thrown == &local && again == &local && *again == 7 ? "it leads to the local" : "no");
    }
  }
}

struct Base {
  virtual ~Base() = default;
  virtual const char *name() const { return "base"; }
};
struct Derived : virtual Base {
  std::string text; // on the private heap, if it is long
  explicit Derived(std::string text) : text(std::move(text)) {}
  const char *name() const override { return text.c_str(); }
};

static void derived() {
  try {
    throw Derived("two words");
  } catch (Base &base) {
    if (skein_push_self(1) != 0)
      std::printf("%s\n", skein_error_text());
    CHECK(dynamic_cast<Derived *>(&base));
    std::printf("derived: %s, on %d\n", base.name(), skein_node());
  }
}

struct Moves {
  int to;
  ~Moves() { CHECK(skein_push_self(to) == 0); }
};

static void flying() {
  try {
    Moves last{1};
    Moves first{1};
    throw skein_node();
  } catch (int from) {
    CHECK(std::uncaught_exceptions() == 0);
    std::printf("flying: handled on %d, thrown on %d\n", skein_node(), from);
  }
}

static void kept() {
  std::exception_ptr it;
  try {
    throw 2.5;
  } catch (...) {
    it = std::current_exception();
  }
  CHECK(skein_push_self(1) == 0);
  try {
    std::rethrow_exception(it);
  } catch (double d) {
    std::printf("kept: %g on %d\n", d, skein_node());
  }
}

struct Refers {
  void *memory;
};

static void refused() {
  try {
    throw Refers{&stdout};
  } catch (Refers &) {
    CHECK(skein_push_self(1) != 0);
    std::printf("refused: %s\n", skein_error_text());
  }
}

int main() {
  for (void (*part)() : {number, pointer, derived, flying, kept, refused}) {
    CHECK(skein_join(skein_spawn(part)) == 0);
    std::fflush(stdout);
  }
}
