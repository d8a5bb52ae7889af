// An argument that does not fit the spawned function is an error at the place where it was written.
// RUN: %plain-skeincc -fsyntax-only -Wno-int-to-pointer-cast -Xclang -verify %s
#include <skein/skein.h>

struct pair {
  int a, b;
};
union word {
  int i;
  float f;
};

void two(double x, char *p); // expected-note 2 {{'two' declared here}} expected-note {{passing argument to parameter 'x' here}} expected-note {{passing argument to parameter 'p' here}}
void seven(int, int, int, int, int, int, int);
void nine(double, double, double, double, float, float, float, float, float);
void by_value(struct pair);
void by_union(union word);
void wide(__int128);
void extended(long double);
void variable(int, ...);
struct pair gives(void);
long double gives_extended(void);
extern void no_prototype();

void f(struct pair pair, int n, const char *constant) {
  skein_spawn(two, 1);                          // expected-error {{too few arguments to the spawned function: expected 2, have 1}}
  skein_spawn(two, 1, 0, 3);                    // expected-error {{too many arguments to the spawned function: expected 2, have 3}}
  skein_spawn(two, "one", 0);                   // expected-error {{passing 'char *' to parameter of incompatible type 'double'}}
  skein_spawn(two, 1, constant);                // expected-warning {{passing 'const char *' to parameter of type 'char *' discards qualifiers}}
  skein_spawn(seven, 1, 2, 3, 4, 5, 6, 7);      // expected-error {{at most 6 integers or pointers and 8 floating-point values, but this function takes 7 and 0}}
  skein_spawn(nine, 1, 2, 3, 4, 5, 6, 7, 8, 9); // expected-error {{at most 6 integers or pointers and 8 floating-point values, but this function takes 0 and 9}}
  skein_spawn(by_value, pair);                  // expected-error {{skein_spawn cannot pass 'struct pair' to a thread}}
  skein_spawn(by_union, n);                     // expected-error {{skein_spawn cannot pass 'union word' to a thread}}
  skein_spawn(wide, n);                         // expected-error {{skein_spawn cannot pass '__int128' to a thread}}
  skein_spawn(extended, 1.0);                   // expected-error {{skein_spawn cannot pass 'long double' to a thread}}
  skein_spawn(variable, 1, 2);                  // expected-error {{skein_spawn cannot start a function with variable arguments}}
  skein_spawn(gives);                           // expected-error {{skein_spawn cannot start a function that returns 'struct pair'}}
  skein_spawn(gives_extended);                  // expected-error {{skein_spawn cannot start a function that returns 'long double'}}
  skein_spawn(n);                               // expected-error {{skein_spawn needs a function, but this has type 'int'}}
}
