/* No byte of an image can be changed, and none can be left off or added, without being noticed. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %t | FileCheck %s
// CHECK: {{[1-9][0-9]+}} changes, all refused; the image itself is still right
#include <skein/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma clang diagnostic ignored "-Wskein-global" /* no thread leaves its node here */

static char *image;
static size_t bytes;
static int runs;

static void work(void) {
  void *mine;
  size_t size;
  if (skein_pack(skein_self(), &mine, &size) == SKEIN_OK) {
    image = mine;
    bytes = size;
  } else {
    runs++;
  }
}

static int refused(const void *changed, size_t size, const char *how, size_t where) {
  skein_thread_t thread;
  if (skein_unpack(changed, size, &thread) == SKEIN_EREFUSED && *skein_error_text())
    return 1;
  printf("%s at %zu was not refused\n", how, where);
  exit(1);
}

int main(void) {
  skein_join(skein_spawn(work));
  char *changed = malloc(bytes + 8);
  int changes = 0;
  for (size_t at = 0; at < bytes; at++)
    for (int bit = 0; bit < 8; bit += 3) {
      memcpy(changed, image, bytes);
      changed[at] ^= (char)(1 << bit);
      changes += refused(changed, bytes, "a changed bit", at);
    }
  memcpy(changed, image, bytes);
  for (size_t size = 0; size < bytes; size += 7)
    changes += refused(changed, size, "the end", size);
  memset(changed + bytes, 0, 8);
  changes += refused(changed, bytes + 8, "more", bytes);
  skein_thread_t thread;
  if (skein_unpack(image, bytes, &thread) == SKEIN_OK)
    skein_join(thread);
  printf("%d changes, all refused; the image itself is %s\n", changes, runs == 1 ? "still right" : "gone");
  return 0;
}
