// New processes and kernel threads.
// RUN: %verify-rule -Wskein-process-fork %s
// RUN: %plain-skeincc -fsyntax-only %s 2>&1 | grep -c warning: | grep -x 3
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <skein/skein.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

int copies(void) { return fork(); }  // expected-warning {{'fork' makes a copy of this process}}
int shares(void) { return vfork(); } // expected-warning {{'vfork' lets another process run on this thread's stack}}
int clones(int (*f)(void *), void *stack) {
  return clone(f, stack, 0, NULL); // expected-warning {{'clone' lets another process run}}
}
int starts(void *(*f)(void *), pthread_t *thread) {
  return pthread_create(thread, NULL, f, NULL); // expected-warning {{'pthread_create' starts a kernel thread}}
}

// Near misses: a new program, one's own function of that name, an address.
int new_program(char **arguments) {
  pid_t child;
  return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) + system("true");
}
static int daemon_(void) { return 0; }
int own(void) { return daemon_(); }
typedef int number(void);
number *address(void) { return (number *)fork; }
SKEIN_NOMIGRATE int stays(void) { return fork(); }
SKEIN_UNTRACKED int meant(void) { return fork(); }
