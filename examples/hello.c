/* The program of the README: a thread takes a pointer to a local variable to every node and back. */
#include <skein/skein.h>
#include <stdio.h>

static void visit(int *sum, int node) {
  if (skein_push_self(node)) /* from here on we run on `node`, on a stack that lies elsewhere */
    printf("staying: %s\n", skein_error_text());
  *sum += skein_node(); /* yet `sum` still points to the variable in traveller() */
  printf("node %d: sum %d at %p, code at %p\n", skein_node(), *sum, (void *)sum, (void *)visit);
}

static void traveller(int rounds) {
  int sum = 0;
  for (int i = 1; i <= rounds * skein_nodes(); i++)
    visit(&sum, i % skein_nodes());
}

int main(void) { return skein_join(skein_spawn(traveller, 2)); }
