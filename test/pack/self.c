/* A thread packs itself in the middle of its work. It goes on, and so does each thread that is made of the image: with
   the values of that moment, on a stack of its own, at another address. */
// RUN: %skeincc %s -o %t -O0 && %t | FileCheck %s
// RUN: %skeincc %s -o %t -O1 && %t | FileCheck %s
// RUN: %skeincc %s -o %t -O2 && %t | FileCheck %s
// RUN: %skeincc %s -o %t -O3 && %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 2 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,workers=2 %run -n 2 %t | FileCheck %s
// RUN: %skeincc %s -o %t -O2 -fskein-stress=calls && %t | FileCheck %s
// CHECK: the packed thread: sum 50, errno 7
// CHECK-NEXT: packed once
// CHECK-NEXT: a copy: sum 50, errno 7
// CHECK-NEXT: a copy: sum 50, errno 7
// CHECK-NEXT: a copy: sum 50, errno 7
// CHECK-NEXT: every copy is a thread of its own
// CHECK-NEXT: 4 threads were created, 4 have ended
#include <errno.h>
#include <skein/pack.h>
#include <stdio.h>
#include <stdlib.h>
#pragma clang diagnostic ignored "-Wskein-global" /* no thread leaves its node here */

static void *image;
static size_t bytes;
static unsigned packed;

static int inner(int *numbers, int *place, int *is_copy) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += *place + i;
    if (i == 1) {
      void *mine = NULL;
      size_t size = 0;
      errno = 7;
      int side = skein_pack(skein_self(), &mine, &size);
      if (side == SKEIN_OK) {
        packed++;
        image = mine;
        bytes = size;
      } else if (side == SKEIN_UNPACKED) {
        *is_copy = 1;
        if (mine || size)
          puts("a copy has got the image, which is the packed thread's");
      } else {
        puts(skein_error_text());
      }
    }
    numbers[3] += 10;
  }
  return sum + *place + numbers[3];
}

static void work(int n) {
  int numbers[4] = {1, 2, 3, n};
  int is_copy = 0;
  int sum = inner(numbers, &numbers[2], &is_copy);
  printf("%s: sum %d, errno %d\n", is_copy ? "a copy" : "the packed thread", sum, errno);
}

int main(void) {
  skein_thread_t first = skein_spawn(work, 5), copies[3];
  skein_join(first);
  printf("packed %s\n", packed == 1 ? "once" : "more than once");
  for (int i = 0; i < 3; i++)
    if (skein_unpack(image, bytes, &copies[i]) != SKEIN_OK || skein_join(copies[i]) != SKEIN_OK)
      puts(skein_error_text());
  free(image);
  if (copies[0] != first && copies[1] != copies[0] && copies[2] != copies[1] && copies[2] != copies[0])
    puts("every copy is a thread of its own");
  struct skein_statistics now;
  skein_statistics_get(skein_node(), &now);
  printf("%d threads were created, %d have ended\n", (int)now.threads_spawned, (int)now.threads_ended);
  return 0;
}
