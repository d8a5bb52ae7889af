/* Other threads are packed while they are at rest: fresh ones, and those that wait for their turn. Whatever an image
   would double keeps its thread from being packed, with a text that says what it is. */
// RUN: %clang -O1 -c %S/../migrate/Inputs/foreign.c -o %t.foreign.o
// RUN: %skeincc -O2 %s %t.foreign.o -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %t | FileCheck %s
// CHECK: fresh: 3 4.5 text
// CHECK-NEXT: fresh: 3 4.5 text
// CHECK-NEXT: fresh: 3 4.5 text
// CHECK-NEXT: yielded: 12
// CHECK-NEXT: yielded: 12
// CHECK-NEXT: a thread that waits: skein_pack: thread {{[0-9]+}}: it is blocked
// CHECK-NEXT: a thread that has ended: skein_pack: thread {{[0-9]+}}: it is not on this node
// CHECK-NEXT: main: skein_pack: thread 1: main is not packed: the run ends with it, and that happens only once
// CHECK-NEXT: in a pinned region: skein_pack: thread {{[0-9]+}}: it is in the SKEIN_PINNED region that begins at
// CHECK-NEXT: with a lock: skein_pack: thread {{[0-9]+}}: it holds the mutex `mutex`, taken in `with_lock`
// CHECK-NEXT: in a foreign frame: skein_pack: thread {{[0-9]+}}: a foreign frame is on its stack: `call_back`
// CHECK-NEXT: before it ran: skein_roll_back: the thread was packed before it had run
// CHECK-NEXT: no image: skein_unpack: 3 bytes are less than the header of an image
// CHECK-NEXT: no image: skein_unpack: these bytes are no packed thread
#include <skein/pack.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma clang diagnostic ignored "-Wskein-global" /* no thread leaves its node here */

static void fresh(int a, double b, const char *text) { printf("fresh: %d %.1f %s\n", a, b, text); }

static void yielding(int from) {
  int sums[3] = {from, 1, 0}, *last = sums + 2;
  skein_yield();
  for (int i = 0; i < 3; i++)
    *last += sums[i == 2];
  printf("yielded: %d\n", *last + 1);
}

static skein_sem_t gate;
static void waiting(void) { skein_sem_wait(&gate); }
static void nothing(void) {}

static void pack_and_say(const char *what) {
  void *image;
  size_t bytes;
  if (skein_pack(skein_self(), &image, &bytes) == SKEIN_OK)
    printf("%s: packed\n", what);
  else
    printf("%s: %s\n", what, skein_error_text());
}
static void in_region(void) {
  SKEIN_PINNED { pack_and_say("in a pinned region"); }
}
static skein_mutex_t mutex;
static void with_lock(void) {
  skein_mutex_lock(&mutex);
  pack_and_say("with a lock");
  skein_mutex_unlock(&mutex);
}
int call_back(int (*function)(int *), int *argument); /* not compiled by skeincc */
static int called_back(int *argument) {
  pack_and_say("in a foreign frame");
  return *argument;
}
static void foreign(void) {
  int one = 1;
  call_back(called_back, &one);
}

static void *image_of_fresh;
static size_t bytes_of_fresh;
static void going_back(void) {
  skein_roll_back(image_of_fresh, bytes_of_fresh);
  printf("before it ran: %s\n", skein_error_text());
}

static void twice(skein_thread_t thread) {
  void *image;
  size_t bytes;
  skein_thread_t copies[2];
  int count = 0;
  if (skein_pack(thread, &image, &bytes) != SKEIN_OK)
    puts(skein_error_text());
  else
    while (count < 2 && skein_unpack(image, bytes, &copies[count]) == SKEIN_OK)
      count++;
  skein_join(thread);
  while (count)
    skein_join(copies[--count]);
  free(image);
}

int main(void) {
  twice(skein_spawn(fresh, 3, 4.5, "text"));
  skein_thread_t thread = skein_spawn(yielding, 5);
  skein_yield();
  void *image;
  size_t bytes;
  skein_thread_t copy;
  if (skein_pack(thread, &image, &bytes) || skein_unpack(image, bytes, &copy))
    puts(skein_error_text());
  free(image);
  skein_join(thread);
  skein_join(copy);

  skein_sem_init(&gate, 0);
  thread = skein_spawn(waiting);
  skein_yield();
  skein_pack(thread, &image, &bytes);
  printf("a thread that waits: %s\n", skein_error_text());
  skein_sem_signal(&gate);
  skein_join(thread);
  skein_pack(thread, &image, &bytes);
  printf("a thread that has ended: %s\n", skein_error_text());
  pack_and_say("main");
  skein_join(skein_spawn(in_region));
  skein_join(skein_spawn(with_lock));
  skein_join(skein_spawn(foreign));
  thread = skein_spawn(going_back);
  skein_pack(thread, &image_of_fresh, &bytes_of_fresh);
  skein_join(thread);
  free(image_of_fresh);
  skein_unpack("abc", 3, NULL);
  printf("no image: %s\n", skein_error_text());
  char text[200] = "no image at all";
  skein_unpack(text, sizeof text, NULL);
  printf("no image: %s\n", skein_error_text());
  return 0;
}
