/* A checkpoint has images of threads that the program keeps. The nodes that are made of it unpack them, and so does a
 * node that joins them later; and they unpack what that one has packed. */

// RUN: %skeincc -O2 %s -o %t
// RUN: rm -rf %t.checkpoints
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --max-nodes 3 --timeout 100 --checkpoint %t.checkpoints %t 2>%t.log \
// RUN:   | FileCheck --check-prefix FIRST %s
// RUN: env SKEIN_OPTIONS=steal=off %skein restart -n 3 --timeout 100 %t.checkpoints 2>%t.log \
// RUN:   | FileCheck --check-prefix AGAIN %s
// FIRST: checkpoint: 0
// AGAIN: it goes on on node 0
// AGAIN-NEXT: it goes on on node 1
// AGAIN-NEXT: it goes on on node 2
// AGAIN-NEXT: it goes on on node 0
#include <skein/checkpoint.h>
#include <skein/nodes.h>
#include <skein/pack.h>
#include <skein/shared.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kept {
  size_t bytes;
  char image[65536];
};

static void travel(skein_shared struct kept *kept) {
  void *image;
  size_t bytes;
  const int side = skein_pack(skein_self(), &image, &bytes);
  if (side == SKEIN_UNPACKED) {
    printf("it goes on on node %d\n", skein_node());
  } else if (side == SKEIN_OK) {
    kept->bytes = bytes;
    for (size_t i = 0; i < bytes; i++)
      kept->image[i] = ((char *)image)[i];
    free(image);
  } else {
    printf("%s\n", skein_error_text());
  }
}

static void unpack(skein_shared struct kept *kept) {
  const size_t bytes = kept->bytes;
  char *image = malloc(bytes);
  for (size_t i = 0; i < bytes; i++)
    image[i] = kept->image[i];
  skein_thread_t thread;
  if (skein_unpack(image, bytes, &thread) != SKEIN_OK)
    printf("node %d: %s\n", skein_node(), skein_error_text());
  else
    skein_join(thread);
  free(image);
}

int main(void) {
  skein_shared struct kept *kept = skein_shared_alloc(0, sizeof *kept);
  skein_join(skein_spawn(travel, kept));
  const int code = skein_checkpoint();
  if (code != SKEIN_RESTORED) {
    printf("checkpoint: %d\n", code);
    return 0;
  }
  while (!skein_node_is_there(2))
    skein_sleep_ns(10000000);
  for (int node = 0; node < 3; node++) {
    const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
    skein_join(skein_spawn_with(&there, unpack, kept));
  }
  const struct skein_attributes newcomer = {.node = SKEIN_ON(2), .worker = SKEIN_ON(0)};
  skein_join(skein_spawn_with(&newcomer, travel, kept));
  const struct skein_attributes here = {.worker = SKEIN_ON(0)};
  skein_join(skein_spawn_with(&here, unpack, kept));
  return 0;
}
