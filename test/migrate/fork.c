/* The child of a fork is no node: it runs on alone, its exit ends nothing but itself, and the run goes on. A program it
 * executes is no node either. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %run -n 2 --timeout 30 --transport tcp %t | FileCheck %s
// CHECK: in the child: node 1 is dead
// CHECK: executed: 0 of 1
// CHECK: the run went on

#include "check.h"

#include <sys/wait.h>

static void add_one(int *to) { ++*to; }

static int status_of(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* argv lies in node 0's memory: main must not need it any more when it moves. */
int main(int argc, char **argv __attribute__((unused))) {
  if (argc > 1) {
    printf("executed: %d of %d\n", skein_node(), skein_nodes());
    return 6;
  }
  skein_stealing_set(0);
  CHECK(skein_push_self(1) == SKEIN_OK && skein_push_self(0) == SKEIN_OK);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int code = skein_push_self(1), sum = 0;
    printf("in the child: %s\n", strstr(skein_error_text(), "node 1"));
    skein_join(skein_spawn(add_one, &sum));
    exit(code == SKEIN_EDEAD && sum == 1 ? 5 : 1);
  }
  CHECK(status_of(child) == 5);
  child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "fork", "again", (char *)NULL);
    _exit(1);
  }
  CHECK(status_of(child) == 6);
  CHECK(skein_push_self(1) == SKEIN_OK);
  printf("the run went on\n");
  return 0;
}
