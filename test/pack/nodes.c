/* Images are unpacked on other nodes: their private memory belongs to the slice of the node where the packed thread was
   born, which is asked. A copy that has ended elsewhere gives the addresses back, and another one gets them. */
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,net_delay_us=300 %run -n 3 %t | FileCheck %s
// CHECK: on node 1 while it lives: refused
// CHECK-NEXT: node 0: 1 2 3 4 5, visits 1
// CHECK-NEXT: node 1: 1 2 3 4 5, visits 1
// CHECK-NEXT: node 2: 1 2 3 4 5, visits 1
// CHECK-NEXT: node 0: 1 2 3 4 5, visits 1
// CHECK-NEXT: node 2, on node 1 in between: 1 2 3 4 5, visits 1
// CHECK-NEXT: node 1: 1 2 3 4 5, visits 1
// CHECK-NEXT: two at once: 1 made, 1 refused
// CHECK-NEXT: node {{[12]}}: 1 2 3 4 5, visits 1
// CHECK-NEXT: with memory of the process: made here, not on node 1
#include <skein/channel.h>
#include <skein/heap.h>
#include <skein/pack.h>
#include <skein/private.h>
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct link {
  int value;
  struct link *next;
};
static SKEIN_PRIVATE int visits;

struct kept {
  unsigned long bytes;
  char image[60000];
};
static void keep(skein_shared struct kept *to, const void *image, size_t bytes) {
  if (bytes > sizeof to->image)
    abort();
  for (size_t i = 0; i < bytes; i++)
    to->image[i] = ((const char *)image)[i];
  to->bytes = bytes;
}

static void work(skein_shared struct kept *kept, skein_channel_t go) {
  struct link *list = NULL;
  for (int i = 5; i >= 1; i--) {
    struct link *link = malloc(sizeof *link);
    *link = (struct link){i, list};
    list = link;
  }
  visits++;
  void *image;
  size_t bytes;
  const int side = skein_pack(skein_self(), &image, &bytes);
  if (side == SKEIN_OK)
    keep(kept, image, bytes), free(image);
  else if (side != SKEIN_UNPACKED)
    puts(skein_error_text());
  int between;
  skein_channel_receive(go, &between, sizeof between, NULL);
  const int here = skein_node();
  if (between >= 0 && skein_push_self(between) != SKEIN_OK)
    puts(skein_error_text());
  if (between >= 0)
    skein_push_self(here);
  printf("node %d", skein_node());
  if (between >= 0)
    printf(", on node %d in between", between);
  printf(":");
  for (struct link *link = list; link; link = link->next)
    printf(" %d", link->value);
  printf(", visits %d\n", visits);
  while (list) {
    struct link *next = list->next;
    free(list);
    list = next;
  }
  fflush(stdout);
}

/* Runs on the node where the image is to be unpacked. */
static long unpack_here(skein_shared struct kept *kept) {
  const size_t bytes = kept->bytes;
  char *image = malloc(bytes);
  for (size_t i = 0; i < bytes; i++)
    image[i] = kept->image[i];
  skein_thread_t copy = 0;
  const int code = skein_unpack(image, bytes, &copy);
  if (code != SKEIN_OK && code != SKEIN_EBUSY && code != SKEIN_EPOINTER)
    puts(skein_error_text());
  free(image);
  return (long)copy;
}
static skein_thread_t unpack_on(int node, skein_shared struct kept *kept) {
  struct skein_attributes there = {.node = SKEIN_ON(node)};
  long copy = 0;
  skein_join_result(skein_spawn_with(&there, unpack_here, kept), &copy);
  return (skein_thread_t)copy;
}
static void run(skein_thread_t thread, skein_channel_t go, int between) {
  skein_channel_send(go, &between, sizeof between);
  skein_join(thread);
}

static void with_process_memory(skein_shared struct kept *kept) {
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *image;
  size_t bytes;
  if (skein_pack(skein_self(), &image, &bytes) == SKEIN_OK) {
    if (!skein_image_stays(image, bytes))
      puts("skein_image_stays does not say so");
    keep(kept, image, bytes), free(image);
  }
  page[0] = 1; /* it stays mapped, for the copy */
}

int main(void) {
  skein_shared struct kept *kept = skein_shared_alloc(0, sizeof *kept);
  skein_channel_t go = skein_channel_create(0);
  skein_thread_t thread = skein_spawn(work, kept, go);
  while (kept->bytes == 0)
    skein_yield();
  printf("on node 1 while it lives: %s\n", unpack_on(1, kept) ? "made" : "refused");
  fflush(stdout);
  run(thread, go, -1);
  for (int node = 1; node <= 3; node++)
    run(unpack_on(node % 3, kept), go, -1);
  run(unpack_on(2, kept), go, 1);
  run(unpack_on(1, kept), go, -1);
  skein_thread_t both[2];
  struct skein_attributes there[2] = {{.node = SKEIN_ON(1)}, {.node = SKEIN_ON(2)}};
  for (int i = 0; i < 2; i++)
    both[i] = skein_spawn_with(&there[i], unpack_here, kept);
  int made = 0;
  skein_thread_t one = 0;
  for (int i = 0; i < 2; i++) {
    long copy = 0;
    skein_join_result(both[i], &copy);
    made += copy != 0;
    one = copy ? (skein_thread_t)copy : one;
  }
  printf("two at once: %d made, %d refused\n", made, 2 - made);
  fflush(stdout);
  run(one, go, -1);
  skein_join(skein_spawn(with_process_memory, kept));
  thread = unpack_on(0, kept);
  printf("with memory of the process: %s, %s on node 1\n", thread ? "made here" : "refused",
         unpack_on(1, kept) ? "and" : "not");
  skein_join(thread);
  return 0;
}
