/* Threads that are bound to a worker arrive at a node which has not started that worker yet: a library that is loaded
 * before the program makes each start of a kernel thread take 100 ms there. Every thread runs, on its worker. */

// RUN: split-file %s %t.parts
// RUN: %clang -O2 -shared -fPIC %t.parts/slow.c -o %t.so
// RUN: %skeincc -O2 -rdynamic -I%S/Inputs %t.parts/program.c -o %t
// RUN: env SKEIN_OPTIONS=workers=3,steal=off %run -n 2 --timeout 60 env LD_PRELOAD=%t.so %t
// UNSUPPORTED: sanitized

//--- slow.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

extern int skein_node(void) __attribute__((weak)); // of the program

int pthread_create(pthread_t *made, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  if (skein_node && skein_node() == 1)
    usleep(100000);
  return real(made, attributes, function, argument);
}

//--- program.c
#include "check.h"
#include <skein/bundle.h>

static int64_t which(void) { return skein_worker(); }

int main(void) {
  skein_thread_t threads[30];
  for (int i = 0; i < 30; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON(1), .worker = SKEIN_ON(i % 3)};
    threads[i] = skein_spawn_with(&there, which);
    CHECK(threads[i]);
  }
  for (int i = 0; i < 30; i++) {
    int64_t worker;
    CHECK(skein_join_result(threads[i], &worker) == SKEIN_OK);
    CHECK(worker == i % 3);
  }
  return 0;
}
