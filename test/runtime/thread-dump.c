/* SIGQUIT makes a program report what every thread does, with what it waits for and where. Then the process ends by
 * that signal. `skein run` passes it on, and each node reports. A program that handles the signal itself is left alone.
 */

// RUN: %skeincc -O1 -fno-optimize-sibling-calls %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 not --crash %t self 2>&1 | FileCheck %s --check-prefixes=CHECK,SELF
// RUN: not %run -n 2 --timeout 20 %t all 2>&1 | FileCheck %s --check-prefixes=ALL
// RUN: %t handled 2>&1 | FileCheck %s --check-prefix=HANDLED
// UNSUPPORTED: sanitized

// CHECK: skein: SIGQUIT: 5 threads on 1 workers
// SELF-DAG: thread 1 runs on worker 0
// SELF-DAG: `main` ({{.*}}thread-dump.c
// SELF-DAG: thread {{[0-9]+}} waits in skein_mutex_lock for the mutex `gate`, which thread 1 took in `main`
// SELF-DAG: `waits` ({{.*}}thread-dump.c:[[#@LINE+23]])
// SELF-DAG: thread {{[0-9]+}} waits in skein_sem_wait for the semaphore `never`
// SELF-DAG: thread {{[0-9]+}} is ready to begin with `fresh`, in bundle root
// SELF-DAG: thread {{[0-9]+}} waits for skein_start
// ALL-DAG: skein[0]: SIGQUIT: {{[0-9]+}} threads
// ALL-DAG: skein[1]: SIGQUIT: {{[0-9]+}} threads
// ALL-DAG: waits in skein_sem_wait
// HANDLED: the program's own handler
// HANDLED-NOT: SIGQUIT:

#include <signal.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static skein_mutex_t gate;
static skein_sem_t never;
static volatile int handled;

static void waits(int which) {
  if (which == 0)
    skein_mutex_lock(&gate);
  else
    skein_sem_wait(&never);
}
static void fresh(void) { skein_yield(); }
static void on_quit(int number) { handled = number; }
static void stays(int node) {
  if (skein_push_self(node) == SKEIN_OK)
    skein_sem_wait(&never);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  if (strcmp(argv[1], "handled") == 0) {
    signal(SIGQUIT, on_quit);
    raise(SIGQUIT);
    puts(handled == SIGQUIT ? "the program's own handler" : "nothing");
    return 0;
  }
  if (strcmp(argv[1], "all") == 0) {
    skein_spawn(stays, 1);
    skein_sleep_ns(100000000);
    kill(getppid(), SIGQUIT);
    skein_sleep_ns(10000000000);
    return 0;
  }
  skein_mutex_lock(&gate);
  skein_spawn(waits, 0);
  skein_spawn(waits, 1);
  skein_sleep_ns(1000000);
  skein_spawn(fresh);
  const struct skein_attributes plain = {0};
  skein_create(&plain, fresh);
  raise(SIGQUIT);
  puts("not reached");
  return 0;
}
