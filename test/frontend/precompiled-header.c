// Calls of skein_spawn are checked and converted when the header comes precompiled.
// RUN: %plain-skeincc -x c-header %build/include/skein/skein.h -o %t.pch
// RUN: %plain-skeincc -include-pch %t.pch -O0 -S -emit-llvm -Xclang -disable-llvm-passes -DGOOD %s -o - | FileCheck %s
// RUN: %plain-skeincc -include-pch %t.pch -fsyntax-only -Xclang -verify %s
void takes_double(double d); // expected-note {{declared here}}

// CHECK: @skein_spawn_(ptr noundef @takes_double, i32 noundef 0, double noundef 1.000000e+00)
void f(void) {
  skein_spawn(takes_double, 1);
#ifndef GOOD
  skein_spawn(takes_double); // expected-error {{too few arguments to the spawned function}}
#endif
}
