/* A linked list whose nodes lie in stack frames travels to every node and back.
 *
 * Each call of build() adds an element in its own frame and calls itself; the innermost call takes the whole stack
 * around the nodes, and adds up the list on each:
 *
 *     traveller   list = NULL, visits
 *       build     element 1 -----------> NULL
 *         build   element 2 ---> 1
 *           build element 3 ---> 2        <- skein_push_self here: all three links, and the pointers to them, move
 *
 * Prints where the first and last element lie on each node. Exits 1 if a sum is wrong. */
#include <skein/shared.h>
#include <skein/skein.h>
#include <stdio.h>

enum { ELEMENTS = 50 };

struct element {
  int value;
  struct element *next;
};

/* Sum along the links. */
static int sum(const struct element *list) {
  int total = 0;
  for (; list; list = list->next)
    total += list->value;
  return total;
}

static const struct element *last(const struct element *list) {
  while (list->next)
    list = list->next;
  return list;
}

static int travel(const struct element *list) {
  int wrong = 0;
  for (int i = 1; i <= skein_nodes(); i++) {
    int node = i % skein_nodes();
    if (skein_push_self(node)) {
      printf("could not move to node %d: %s\n", node, skein_error_text());
      return 1;
    }
    int total = sum(list);
    printf("node %d: elements from %p to %p, sum %d\n", skein_node(), (const void *)list, (const void *)last(list),
           total);
    wrong += total != ELEMENTS * (ELEMENTS + 1) / 2 || skein_node() != node;
  }
  return wrong;
}

static int build(struct element *list, int n) {
  if (n > ELEMENTS)
    return travel(list);
  struct element element = {n, list};
  int wrong = build(&element, n + 1);
  return wrong + (element.value != n || element.next != list); /* the frames on the way back are whole, too */
}

static void traveller(skein_shared int *wrong) { *wrong = build(NULL, 1); }

int main(void) {
  skein_shared int *wrong = skein_shared_alloc(0, sizeof *wrong);
  if (!wrong || skein_join(skein_spawn(traveller, wrong))) {
    printf("%s\n", skein_error_text());
    return 1;
  }
  return *wrong != 0;
}
