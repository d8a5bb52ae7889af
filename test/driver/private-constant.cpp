// Private variables that no code initialises are each thread's own from the start. These include variables without an
// initialiser, and variables whose value clang computes.
// RUN: %skein++ -O0 -Werror=skein-global -fskein-globals=private %s -o %t
// RUN: %t | FileCheck %s
// RUN: %skein++ -O2 -Werror=skein-global -fskein-globals=private %s -o %t
// RUN: %skein run -n 2 %t | FileCheck %s
// RUN: %skein++ -O1 -Werror=skein-global -DOWN=SKEIN_PRIVATE %s -o %t
// RUN: %t | FileCheck %s
#include <cstdio>
#include <skein/skein.h>
#ifndef OWN
#define OWN
#endif

struct plain {
  int a, b;
};
struct computed {
  int v;
  constexpr computed(int v = 3) : v(v) {}
};
struct with_default {
  int a = 4, b = 5;
};

static OWN int number;
OWN double real;
OWN plain pair;
OWN int *pointer;
static OWN int row[10];
static OWN plain table[4];
static OWN bool flags[2][2];
static OWN char text[] = "abc";
static OWN volatile int watched;
static OWN void (*function)(void);
static OWN int (*to_rows)[3];
extern OWN int declared;
OWN int declared;
inline OWN int in_each;
static OWN computed one;
static OWN computed three[3];
static OWN with_default given;
static OWN plain aggregate = {1, 2};
static OWN double quarter = 1.0 / 4, infinite = 1.0 / 0.0; // no constant expression gives the latter
namespace {
OWN int nameless;
}
struct members {
  static OWN int zero;
  static inline OWN int eight = 8;
  static inline OWN plain pair;
};
OWN int members::zero;
template <class T>
struct of {
  static OWN T zero, six;
  static OWN plain pair;
};
template <class T>
OWN T of<T>::zero;
template <class T>
OWN T of<T>::six = 6;
template <class T>
OWN plain of<T>::pair;
template <class T>
OWN T variable;
template <class T>
OWN T seven = T(7);

static long thread(int me) {
  number += me, real += 1, pair.a += 2, pointer = &number, row[3]++, table[2].b++, flags[1][1] = true, text[0]++;
  watched = watched + 1, function = nullptr, to_rows = nullptr, declared++, in_each++, nameless++;
  skein_push_self((skein_node() + 1) % skein_nodes());
  members::zero++, members::eight++, members::pair.a++, of<int>::zero++, of<int>::six++, of<long>::pair.b++;
  variable<int> ++, seven<long> ++;
  long sum = *pointer + static_cast<long>(real) + pair.a + row[3] + table[2].b + flags[1][1] + (text[0] - 'a') + watched +
             declared + in_each + nameless;                                                                  // me + 11
  sum += one.v + three[2].v + given.b + aggregate.b + static_cast<long>(quarter * 4) + (infinite > 1e308);   // 15
  sum += members::zero + members::eight + members::pair.a + of<int>::zero + of<int>::six + of<long>::pair.b; // 20
  return sum + variable<int> + static_cast<long>(seven<long>);                                               // 9
}

int main() {
  // CHECK: 55 56 57
  for (int i = 0; i < 3; i++) {
    long sum = 0;
    skein_join_result(skein_spawn(thread, i), &sum);
    std::printf("%ld ", sum);
  }
  std::printf("\n");
}
