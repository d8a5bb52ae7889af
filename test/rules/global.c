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
