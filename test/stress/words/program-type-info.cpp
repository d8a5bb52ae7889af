// type_info's address and name as numbers over calls.
#include "words.h"
#include <functional>
#include <typeindex>
#include <typeinfo>
struct A {
  virtual ~A() {}
};
struct B : A {};
static NOINLINE long use(const A &a) {
  uintptr_t info = (uintptr_t)&typeid(a) + number(), name = (uintptr_t)typeid(a).name() << 3 | 5;
  size_t h = std::hash<const void *>()(&typeid(a));
  long wrong = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    wrong += (uintptr_t)&typeid(a) + number() != info;
    wrong += ((uintptr_t)typeid(a).name() << 3 | 5) != name;
    wrong += std::hash<const void *>()(&typeid(a)) != h;
  }
  return wrong;
}
int main() {
  B b;
  printf("%ld\n", use(b));
}
