// -Wskein-global warns once for each function and global, at the first use.
// RUN: %plain-skeincc -fsyntax-only -Xclang -verify %s
// RUN: %plain-skeincc -fsyntax-only -Wno-skein-global -Werror %s
// RUN: not %plain-skeincc -fsyntax-only -Werror=skein-global %s 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: not %plain-skeincc -fsyntax-only -Werror %s 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: %plain-skeincc -fsyntax-only -Werror -Wno-error=skein-global %s 2>&1 | FileCheck --check-prefix=WARNING %s
// RUN: %plain-skeincc -fsyntax-only -w %s 2>&1 | count 0

// ERROR: global.c:[[#@LINE+12]]:3: error: function 'changes' uses global 'counter'{{.*}} [-Werror,-Wskein-global]
// WARNING: global.c:[[#@LINE+11]]:3: warning: function 'changes' uses global 'counter'{{.*}} [-Wskein-global]
// WARNING-NOT: error:
#include <errno.h>
#include <skein/skein.h>
#include <stdio.h>

static int counter; // expected-note 2 {{'counter' is declared here}}
extern int elsewhere;
const char *names[] = {"a"};

void changes(void) {
  counter++; // expected-warning {{function 'changes' uses global 'counter', of which each node has its own copy}}
  counter--;
}

int reads(void) {
  static int calls; // expected-note {{'calls' is declared here}}
  return counter    // expected-warning {{function 'reads' uses global 'counter'}}
         + calls++; // expected-warning {{function 'reads' uses static variable 'calls'}}
}

// What only another unit can change is reported with -Wskein-pedantic.
int others(void) { return elsewhere + *names[0]; }

// No warning is given for constants, thread-local variables, those of the C library, functions, and what is not
// evaluated.
static const int table[] = {1, 2};
static const char *const words[] = {"a"};
static _Thread_local int own;
int quiet(int (*function)(void)) {
  fprintf(stderr, "%d %s %d %zu %d\n", table[1], words[0], own, sizeof counter, errno);
  return function == reads;
}

// No warning is given in functions that never run in a thread that may move.
SKEIN_NOMIGRATE int stays(void) { return counter; }

/* Locks are meant to be their node's. */
#include <skein/sync.h>
static skein_mutex_t lock;
static skein_sem_t sems[2][3];
int locks(void) { return skein_mutex_lock(&lock) + skein_sem_wait(&sems[1][2]); }
