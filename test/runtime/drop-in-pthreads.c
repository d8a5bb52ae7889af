// This program has kernel threads of its own. main leaves them with pthread_exit, they finish, and the status is 0.
// RUN: %skeincc -O2 %s -o %t && %t | FileCheck %s

// CHECK: cleanup
// CHECK-NEXT: other done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *other(void *argument) {
  usleep(50000);
  puts("other done");
  return argument;
}

static void cleanup(void *argument) { puts("cleanup"); }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_cleanup_push(cleanup, NULL);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
  return 3;
}
