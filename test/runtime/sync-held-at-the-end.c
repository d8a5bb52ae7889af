/* A thread that ends while it holds a lock is reported, unless the program ends with it: then nobody is left to wait.
 * Programs that return from main with a locked file on their hands are not rare. */

// RUN: %skeincc -O2 %s -o %t
// RUN: %t 2>&1 | FileCheck %s --check-prefix=ALONE --implicit-check-not=skein:
// RUN: %t others 2>&1 | FileCheck %s --check-prefix=OTHERS

// ALONE: main is over
// OTHERS: skein: thread 1 ended while it held the pthread_mutex_t `gate`, taken in `main` (
// OTHERS: the other one is over

#include <pthread.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void goes_on(void) {
  for (int i = 0; i < 100; i++)
    skein_yield();
  skein_sleep_ns(100000000); /* main has returned long before */
  fprintf(stderr, "the other one is over\n");
}

int main(int count, char **values) {
  (void)values;
  flockfile(stdin);
  pthread_mutex_lock(&gate);
  if (count > 1)
    skein_detach(skein_spawn(goes_on));
  else
    fprintf(stderr, "main is over\n");
  return 0;
}
