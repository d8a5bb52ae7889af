/* skein_follow moves a thread to data of which it will read much, but not for a little. The thread stays where it can
 * touch the memory directly. Accesses by message are counted by node. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 30 %t
// RUN: %run -n 2 --timeout 30 %t mapped

#include "check.h"
#include <skein/shared_follow.h>

struct node {
  skein_shared struct node *next;
  long value;
};

enum { length = 300 };

static long sum(skein_shared struct node *list) {
  long total = 0;
  for (skein_shared struct node *at = list; at; at = at->next)
    total += at->value;
  return total;
}

static void walks(skein_shared struct node *list, int moves) {
  int home = skein_node(), owner = skein_shared_node(list);
  CHECK(owner != home);
  CHECK(skein_follow(list, 8) == SKEIN_OK && skein_node() == home); /* one read is cheaper than a move */
  CHECK(skein_remote_accesses(owner) == 0);
  CHECK(sum(list) == length * (length - 1) / 2);
  CHECK(moves ? skein_remote_accesses(owner) >= length : skein_remote_accesses(owner) == 0);
  CHECK(skein_remote_accesses(home) == 0);
  CHECK(skein_follow(list, 0) == SKEIN_OK); /* this sums up to as much again */
  CHECK(skein_node() == (moves ? owner : home));
  CHECK(sum(list) == length * (length - 1) / 2 && skein_remote_accesses(owner) == 0);
  CHECK(skein_follow(list, 1 << 20) == SKEIN_OK && skein_node() == (moves ? owner : home)); /* it is there already */
  CHECK(skein_push_self(home) == SKEIN_OK);
  CHECK(skein_follow(list, 1 << 20) == SKEIN_OK && skein_node() == (moves ? owner : home));
}

int main(int argc, char **argv) {
  (void)argv;
  skein_stealing_set(0);
  skein_shared struct node *list = 0;
  for (int i = 0; i < length; i++) {
    skein_shared struct node *first = skein_shared_alloc(1, sizeof *first);
    first->next = list;
    first->value = i;
    list = first;
  }
  CHECK(skein_join(skein_spawn(walks, list, argc == 1)) == SKEIN_OK);
  CHECK(skein_follow((skein_shared void *)8, 8) == SKEIN_EPOINTER);
  return 0;
}
