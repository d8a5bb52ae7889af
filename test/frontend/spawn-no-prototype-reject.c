// Without a prototype the arguments that the function expects are not known.
// RUN: %plain-skeincc -std=gnu17 -fsyntax-only -Wno-strict-prototypes -Wno-deprecated-non-prototype -Xclang -verify %s
#include <skein/skein.h>

void old();

void f(void) {
  skein_spawn(old, 1); // expected-error {{declare it with a prototype}}
}
