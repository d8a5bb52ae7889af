// A thread that waits in a callback from foreign code keeps the deep stack that it is on. Its worker takes another one,
// and hands it over when the thread goes on. Signals, exits and nested callbacks happen in between.
// RUN: %skeincc -Wno-skein-global -O1 -fskein-stacks=growable %s -o %t
// RUN: %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=4,grow_first=1K %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=grow=off %t | FileCheck %s
// UNSUPPORTED: sanitized
// CHECK: 20 threads sorted 400 numbers
// CHECK-NEXT: handlers ran
#include <signal.h>
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int deep(int depth, const int *above) {
  char frame[300];
  int here = *above + 1;
  memset(frame, depth, sizeof frame);
  skein_yield();
  return depth == 0 ? here + frame[0] : deep(depth - 1, &here) + frame[0] - (depth & 127);
}

static int turns(const void *a, const void *b) {
  int zero = 0;
  skein_yield();
  return deep(20, &zero) - 21 + *(const int *)a - *(const int *)b;
}

static int nested(const void *a, const void *b) {
  int inner[4] = {4, 2, 3, 1};
  qsort(inner, 4, sizeof inner[0], turns);
  return inner[0] - 1 + *(const int *)a - *(const int *)b;
}

static void sort(skein_shared int *sorted, int number) {
  int values[20];
  for (int i = 0; i < 20; i++)
    values[i] = (i * 7 + number) % 20;
  qsort(values, 20, sizeof values[0], number % 2 ? turns : nested);
  for (int i = 0; i < 20; i++)
    sorted[number] += values[i] == i;
}

static volatile sig_atomic_t handled;

static int deeper(int depth) {
  char frame[500];
  memset(frame, depth, sizeof frame);
  return depth == 0 ? frame[1] : deeper(depth - 1) + frame[0] - (char)depth;
}

/* With the frame of a signal below it there is hardly any room on a small stack, so the handler asks for more. */
static void handler(int number) {
  char text[64];
  snprintf(text, sizeof text, "%d", number);
  handled += deeper(100) == 0 && text[0] != 0;
}

static int raising(int depth) {
  char frame[300];
  memset(frame, depth, sizeof frame);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL); /* workers other than the first have it blocked */
  raise(SIGUSR1);
  skein_yield();
  return depth == 0 ? 0 : raising(depth - 1) + frame[0] - (depth & 127);
}

int main(void) {
  skein_shared int *sorted = skein_shared_alloc(0, 20 * sizeof *sorted);
  skein_thread_t threads[20];
  for (int i = 0; i < 20; i++)
    threads[i] = skein_spawn(sort, sorted, i);
  int sum = 0;
  for (int i = 0; i < 20; i++) {
    skein_join(threads[i]);
    sum += sorted[i];
  }
  printf("20 threads sorted %d numbers\n", sum);
  signal(SIGUSR1, handler);
  skein_join(skein_spawn(raising, 100));
  if (handled == 101)
    puts("handlers ran");
  else
    printf("%d handlers\n", (int)handled);
  return 0;
}
