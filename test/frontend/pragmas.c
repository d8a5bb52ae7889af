// #pragma clang diagnostic knows Skein's warnings: those of rules, and those of the passes.
// RUN: %plain-skeincc -O2 -fsyntax-only -Wunknown-warning-option -Xclang -verify %s
// RUN: %plain-skeincc -O2 -fsyntax-only -Wno-skein-global -DON -Xclang -verify=on %s
// RUN: %plain-skeincc -O2 -c -g -DPASSES %s -o %t.o 2>&1 | FileCheck --check-prefix=PASSES %s
#include <skein/skein.h>

static int counter; // #counter

#ifdef ON
#pragma clang diagnostic warning "-Wskein-global"
void on(void) { counter++; } // on-warning {{uses global 'counter'}} on-note@#counter {{declared here}}
#endif

#if !defined ON && !defined PASSES
void before(void) { counter++; } // expected-warning {{uses global 'counter'}} expected-note@#counter {{declared here}}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wskein-global"
void ignored(void) { counter++; }
#pragma clang diagnostic push
#pragma GCC diagnostic error "-Wskein"
void error(void) { counter++; } // expected-error {{uses global 'counter'}} expected-note@#counter {{declared here}}
#pragma clang diagnostic pop
void again(void) { counter++; }
#pragma clang diagnostic ignored "-Wskein-globl" // expected-warning {{unknown warning group '-Wskein-globl'}}
#pragma clang diagnostic pop

void after(void) { counter++; } // expected-warning {{uses global 'counter'}} expected-note@#counter {{declared here}}
#endif

#ifdef PASSES
void elsewhere(void);
int __attribute__((returns_twice)) twice(void);

#pragma clang diagnostic ignored "-Wskein-pinned"
void quiet(void) {
  if (twice())
    elsewhere();
}
#pragma clang diagnostic warning "-Wskein-pinned"
void loud(void) {
  if (twice())
    elsewhere();
}
// PASSES-NOT: quiet
// PASSES: loud
// PASSES-NOT: quiet
#endif
