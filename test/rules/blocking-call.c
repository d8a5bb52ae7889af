// System calls that stop a worker.
// RUN: %verify-rule -Wskein-blocking-call %s
// RUN: %plain-skeincc -fsyntax-only -Werror %s
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void sleeps(void) {
  sleep(1);     // expected-warning {{'sleep' stops the worker and all its other threads}}
  usleep(1000); // expected-warning {{'usleep' stops the worker}}
}
int waits(int file, struct pollfd *files) {
  int status;
  wait(&status);                   // expected-warning {{'wait' stops the worker}}
  poll(files, 1, -1);              // expected-warning {{'poll' stops the worker}}
  return accept(file, NULL, NULL); // expected-warning {{'accept' stops the worker}}
}
void joins(pthread_t thread) {
  pthread_join(thread, NULL); // expected-warning {{'pthread_join' may stop the worker}}
  sched_yield();              // expected-warning {{'sched_yield' lets another kernel thread run}}
}

// Near misses.
void of_skein(skein_thread_t thread) {
  skein_sleep_ns(1000);
  skein_join(thread);
  skein_yield();
}
static int accept_(int file) { return file; }
int own(int file) { return accept_(file); }
SKEIN_NOMIGRATE void stays(void) { usleep(1); }
SKEIN_UNTRACKED void meant(void) { sleep(1); }
