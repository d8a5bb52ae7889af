/* A bundle that all nodes know goes along with its threads, and a bundle of a single node keeps them there. Threads are
 * created on other nodes, with name, priority and stamp. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=bundle=lifo %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=bundle=priority,stacks=relocate,image=any %run -n 2 --timeout 30 %t | FileCheck %s
// CHECK: all 400 threads ran where they should, in their bundle

#include "check.h"
#include <skein/bundle.h>
#include <string.h>

SKEIN_BUNDLE(urgent, &skein_bundle_priority)
SKEIN_BUNDLE(late, &skein_bundle_lifo)

static void born_there(int node, skein_shared int *count) {
  char name[16];
  CHECK(skein_node() == node);
  struct skein_bundle *volatile mine = skein_bundle_self();
  CHECK(mine == urgent());
  CHECK(skein_name(skein_self(), name) && strcmp(name, "settler") == 0);
  CHECK(skein_push_self((node + 1) % skein_nodes()) == SKEIN_OK);
  CHECK(mine == urgent()); /* a pointer to the same bundle, which lies elsewhere */
  CHECK(skein_bundle_self() == urgent());
  CHECK(skein_name(skein_self(), name) && strcmp(name, "settler") == 0);
  skein_yield();
  CHECK(skein_push_self(0) == SKEIN_OK);
  ++*count; /* main joins one thread after the other */
}

static void kept(void) {
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  CHECK(strstr(skein_error_text(), "its bundle 'mine' exists on this node only"));
}

int main(void) {
  CHECK(strcmp(skein_bundle_name(urgent()), "urgent") == 0 && strcmp(skein_bundle_name(late()), "late") == 0);
  skein_stealing_set(0);
  skein_shared int *count = skein_shared_alloc(0, sizeof *count);
  *count = 0;
  for (int i = 0; i < 400; i++) {
    int node = i % skein_nodes();
    struct skein_attributes attributes = {.bundle = urgent(), .name = "settler", .priority = i, .node = SKEIN_ON(node)};
    skein_thread_t thread = skein_spawn_with(&attributes, born_there, node, count);
    CHECK(thread != 0);
    CHECK(skein_join(thread) == SKEIN_OK);
  }
  struct skein_bundle *mine = skein_bundle_create("mine", &skein_bundle_fifo, late());
  struct skein_attributes attributes = {.bundle = mine};
  CHECK(skein_join(skein_spawn_with(&attributes, kept)) == SKEIN_OK);
  CHECK(skein_bundle_destroy(mine) == SKEIN_OK);
  attributes = (struct skein_attributes){.node = SKEIN_ON(99)};
  CHECK(skein_spawn_with(&attributes, kept) == 0);
  CHECK(strcmp(skein_error_text(), "") != 0);
  printf("all %d threads ran where they should, in their bundle\n", *count);
}
