// Attributes by their own names, and where they may not stand.
// RUN: %verify-rule -std=c23 %s
// RUN: %verify-rule-cxx -x c++ %s
#include <skein/skein.h>

[[skein::private]] int depth;
__attribute__((skein_private)) int width;
[[skein::node_local]] static int cache;
[[skein::nomigrate]] int stays(void);
[[skein::assume_nomigrate]] int believed(void);
[[skein::untracked]] void meant(void);
[[skein::entry]] void begins(int n, double x, const char *text);

[[skein::privat]] int misspelled;          // expected-warning {{unknown attribute 'skein::privat' ignored}}
[[skein::private]] void function(void);    // expected-error {{'private' is for variables}}
[[skein::node_local]] void other(void);    // expected-error {{'node_local' is for variables}}
[[skein::nomigrate]] int variable;         // expected-error {{'nomigrate' is for functions}}
[[skein::entry]] int no_function;          // expected-error {{'entry' is for functions}}
[[skein::untracked]] typedef int number;   // expected-error {{'untracked' is for functions and variables}}
SKEIN_PRIVATE SKEIN_NODE_LOCAL int both;   // expected-error {{'skein_node_local' contradicts 'skein-private'}}
SKEIN_NOMIGRATE SKEIN_ENTRY void no(void); // expected-error {{'skein_entry' contradicts 'skein-nomigrate'}}

struct pair {
  int a, b;
};
// expected-error@+1 {{'entry' is for functions with a fixed number of parameters}}
[[skein::entry]] void variadic(int n, ...);
[[skein::entry]] void by_value(struct pair p); // expected-error {{and 'p' is of type}}
// expected-error@+1 {{at most 6 integers and pointers}}
[[skein::entry]] void many(int a, int b, int c, int d, int e, int f, int g);

void local(int n) {
  // expected-error@+1 {{a local is the thread's own without}}
  SKEIN_PRIVATE int own = n;
  SKEIN_PRIVATE static int kept;
  kept = own;
  (void)kept;
}
