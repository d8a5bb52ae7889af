// A library calls back a function that may move.
// RUN: %verify-rule -Wskein-foreign-callback %s
#define _GNU_SOURCE
#include <ftw.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <skein/skein.h>
#include <stdlib.h>

void elsewhere(void);
static int yields(const char *path, const struct stat *about, int kind) {
  skein_yield();
  return 0;
}
static int yields_deep(const char *path, const struct stat *about, int kind) { return yields(path, about, kind); }
static int perhaps(const char *path, const struct stat *about, int kind) {
  elsewhere();
  return 0;
}
static int stays(const char *path, const struct stat *about, int kind) { return kind; }
static int pinned(const char *path, const struct stat *about, int kind) {
  SKEIN_PINNED { skein_yield(); }
  return 0;
}

void rejected(void) {
  ftw(".", yields, 8);       // expected-warning {{'ftw' calls 'yields', which may want to move}}
  ftw(".", &yields_deep, 8); // expected-warning {{'ftw' calls 'yields_deep', which may want to move}}
  ftw(".", perhaps, 8);      // expected-warning {{[-Wskein-pedantic,-Wskein-foreign-callback]}}
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void begin(void) { skein_yield(); }
void in_once(void) {
  pthread_once(&once, begin); // expected-warning {{'pthread_once' calls 'begin', which may want to move}}
}

// Near misses: what moves nowhere, what the runtime has versions of that move, and what only keeps the function.
static int compare(const void *a, const void *b) {
  skein_yield();
  return 0;
}
static void at_end(void) { skein_yield(); }
static void handle(int number) { (void)number; }
void accepted(int *values, size_t n) {
  ftw(".", stays, 8);
  ftw(".", pinned, 8);
  qsort(values, n, sizeof *values, compare);
  bsearch(values, values, n, sizeof *values, compare);
  atexit(at_end);
  signal(SIGUSR1, handle);
}

SKEIN_UNTRACKED void meant(void) { ftw(".", yields, 8); }
