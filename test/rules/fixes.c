// What --fix changes compiles, and is found no more.
// RUN: rm -rf %t && mkdir %t && cp %s %t/fixed.c
// RUN: not %check --pedantic --rules=process-heap,blocking-call --fix %t/fixed.c -- > %t/rest 2> %t/summary
// RUN: FileCheck --check-prefix=SUMMARY %s < %t/summary
// RUN: FileCheck --check-prefix=FIXED %s < %t/fixed.c
// RUN: FileCheck --check-prefix=REST %s < %t/rest
// RUN: %plain-skeincc -fsyntax-only -Wno-skein -Wskein-pedantic -Wskein-blocking-call -Werror %t/fixed.c
// SUMMARY: 1 file, 1 finding; 5 mended in 1 file
// FIXED: #include <skein/heap.h>
// FIXED-NEXT: #include <skein/sync.h>
#include <sched.h>
#include <skein/skein.h>
#include <stdlib.h>
#include <unistd.h>

// FIXED-LABEL: {{^}}void waits
void waits(unsigned n) {
  sleep(n + 1);  // FIXED: {{^}}  skein_sleep_ns(UINT64_C(1000000000) * (n + 1));
  usleep(5);     // FIXED: {{^}}  skein_sleep_ns(UINT64_C(1000) * (5));
  sched_yield(); // FIXED: {{^}}  skein_yield();
}

// FIXED-LABEL: {{^}}int sums
int sums(int n) {
  int *values = malloc(n * sizeof *values); // FIXED: values = skein_malloc(n * sizeof *values);
  values[0] = n;
  skein_yield();
  int sum = values[0];
  free(values); // FIXED: {{^}}  skein_free(values);
  return sum;
}

// FIXED-LABEL: {{^}}int frees_twice
int frees_twice(int n) {
  char *copy = calloc(1, 8); // FIXED: *copy = skein_calloc(1, 8);
  skein_yield();
  if (copy[0]) {
    free(copy); // FIXED: {{^}}    skein_free(copy);
    return 0;
  }
  free(copy); // FIXED: {{^}}  skein_free(copy);
  return n;
}

// What leaves the function is not changed: somebody else may free it.
// FIXED-LABEL: {{^}}int *leaves
int *leaves(void) {
  int *p = malloc(sizeof *p); // FIXED: *p = malloc(
  skein_yield();
  return p; // REST: 'p' leads to memory of the process
}
