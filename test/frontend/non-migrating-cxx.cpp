// C++: members of annotated and library classes under all their assembler names; what has a body in a header is compiled here.
// RUN: %skein++ -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <iostream>
#include <skein/skein.h>

struct calm {
  SKEIN_NOMIGRATE calm(int *p);
  SKEIN_NOMIGRATE ~calm();
  SKEIN_NOMIGRATE void method();
  void other();
};

// CHECK-LABEL: @_Z3usePi(
// CHECK: call {{.*}}@_ZN4calmC1EPi({{[^!]*(!dbg ![0-9]+)?$}}
// CHECK: {{call|invoke}} {{.*}}@_ZN4calm6methodEv({{[^!]*(!dbg ![0-9]+)?$}}
// CHECK: {{call|invoke}} {{.*}}@_ZN4calm5otherEv(
// CHECK: call {{.*}}@_ZN4calmD1Ev({{[^!]*(!dbg ![0-9]+)?$}}
int use(int *p) {
  calm c(p);
  c.method();
  c.other();
  return *p;
}

// CHECK-LABEL: @_Z5printPi(
// CHECK: call {{.*}}@_ZNSolsEi({{[^!]*(!dbg ![0-9]+)?$}}
int print(int *p) {
  std::cout << *p;
  return *p;
}
