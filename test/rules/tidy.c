// The rules as checks of clang-tidy, with its own options, fixes and comments.
// REQUIRES: clang-tidy
// RUN: %tidy -checks='-*,skein-*' %s -- -D__SKEIN__ -I%build/include > %t.out
// RUN: FileCheck %s < %t.out && grep -c 'skein-global]' %t.out | grep -x 1
// RUN: %tidy -checks='-*,skein-pointer-*' -config='{CheckOptions: {Pedantic: true}}' %s -- -D__SKEIN__ \
// RUN:   -I%build/include | FileCheck --check-prefix=PEDANTIC %s
// RUN: %tidy -list-checks -checks='-*,skein-*' | grep -c skein- | grep -x 18
// RUN: cp %s %t.c
// RUN: %tidy -checks='-*,skein-blocking-call' -config='{CheckOptions: {skein-blocking-call.Pedantic: true}}' -fix \
// RUN:   %t.c -- -D__SKEIN__ -I%build/include
// RUN: FileCheck --check-prefix=FIXED %s < %t.c
#include <sched.h>
#include <skein/skein.h>

static long total;

int kept(int *p) {
  uintptr_t n = (uintptr_t)p;
  skein_yield();
  // CHECK: :[[#@LINE+1]]:3: warning: function 'kept' uses global 'total'{{.*}} [{{skein-global}}]
  total++;
  return (int)n; // PEDANTIC: [[#@LINE]]:15: warning: 'n' is computed from an address{{.*}} [skein-pointer-as-integer]
}

void quiet(void) {
  total++;       // NOLINT(skein-global)
  sched_yield(); // FIXED: {{^}}  skein_yield(); //
}
