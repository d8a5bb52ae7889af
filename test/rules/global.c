// A global that is meant to be its node's, and one that is not. (More: test/frontend/global.c.)
// RUN: %verify-rule -Wskein-global %s
#include <skein/skein.h>

static long total;
SKEIN_NODE_LOCAL static long calls_here;
SKEIN_UNTRACKED static long meant;
static struct {
  int length;
} table;

void uses(void) {
  total++;        // expected-warning {{function 'uses' uses global 'total'}}
  table.length++; // expected-warning {{function 'uses' uses global 'table'}}
  static int calls;
  calls++; // expected-warning {{function 'uses' uses static variable 'calls'}}
}

void quiet(void) {
  SKEIN_NODE_LOCAL static int calls;
  calls++;
  calls_here++;
  meant++;
}

// A static variable that nobody changes is a constant in fact. Another one may be changed by another unit, which is a
// pedantic finding.
static const char *names[] = {"none", "some"};
static struct {
  int size, sizes[2];
} settings = {1, {2, 3}};
static int lent[2], given[2];
static volatile int changing;
extern int elsewhere;
int sum(const int *numbers);
void fill(int *numbers);

int reads(int i) {
  sum(given);
  return names[i][0] + settings.sizes[i] + settings.size + sum(settings.sizes) + sum(&settings.size) +
         elsewhere; // expected-warning {{function 'reads' uses global 'elsewhere'}}
}

int waits(void) { return changing; } // expected-warning {{function 'waits' uses global 'changing'}}

int lends(void) {
  fill(lent);         // expected-warning {{function 'lends' uses global 'lent'}}
  return sum(&*lent); // the first use is reported
}
