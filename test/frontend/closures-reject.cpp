// What cannot be started says so in a sentence.
// RUN: %plain-skein++ -std=c++20 -fsyntax-only -Xclang -verify %s
// RUN: %plain-skein++ -std=c++17 -fsyntax-only -Xclang -verify %s
#include <memory>
#include <skein/thread.hpp>
#include <string>

void use(int n) {
  skein_spawn([n] { return n; }); // expected-error@skein/skein.h:* {{skein_spawn starts functions; skein::thread of <skein/thread.hpp> starts closures}} expected-note@* 1+ {{}}
}
