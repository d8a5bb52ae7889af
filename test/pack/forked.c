/* The child of a fork draws a key of its own: it can pack and unpack, but not what its parent has packed. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %t | FileCheck %s
// CHECK: child: skein_unpack: it was sealed with the key of another run
// CHECK-NEXT: child: a copy goes on
// CHECK-NEXT: parent: a copy goes on
#include <skein/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#pragma clang diagnostic ignored "-Wskein-global" /* no thread leaves its node here */

static const char *who = "parent";
static void *image;
static size_t bytes;

static void work(void) {
  void *mine;
  size_t size;
  const int side = skein_pack(skein_self(), &mine, &size);
  if (side == SKEIN_UNPACKED)
    printf("%s: a copy goes on\n", who);
  else if (side != SKEIN_OK)
    puts(skein_error_text());
  if (side == SKEIN_OK) {
    image = mine;
    bytes = size;
  }
}
static void unpack(void) {
  skein_thread_t copy;
  if (skein_unpack(image, bytes, &copy) == SKEIN_OK)
    skein_join(copy);
  else
    printf("%s: %s\n", who, skein_error_text());
}

int main(void) {
  skein_join(skein_spawn(work));
  const pid_t child = fork();
  if (child == 0) {
    who = "child";
    unpack();
    skein_join(skein_spawn(work));
    unpack();
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  unpack();
  return 0;
}
