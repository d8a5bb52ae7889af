// Memory of new, in C++.
// RUN: %verify-rule-cxx -Wskein-process-heap %s
#include <new>
#include <skein/skein.h>

template <typename T> T moved() {
  T *p = new T();
  skein_yield();
  return *p; // expected-warning {{'p' leads to memory of the process}}
}
int instance() { return moved<int>() + (int)moved<long>(); }

int in_lambda() {
  auto work = [] {
    int *p = new int(1);
    skein_yield();
    return *p; // expected-warning {{'p' leads to memory of the process}}
  };
  return work();
}

struct holder {
  holder() { skein_yield(); }
};

int constructed() {
  int *p = new int(1);
  holder here;
  return *p; // expected-warning {{'p' leads to memory of the process}}
}

// Near misses.
int placed() {
  alignas(int) char room[sizeof(int)];
  int *p = new (room) int(1);
  skein_yield();
  return *p;
}

int before() {
  int *p = new int(1), value = *p;
  delete p;
  skein_yield();
  return value;
}

struct plain {
  int value = 3;
};

int not_a_move() {
  int *p = new int(1);
  plain here;
  return *p + here.value;
}
