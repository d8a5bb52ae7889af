// A flag carried round a loop by a phi, updated from pointer comparisons, tested an iteration and a call later.
#include "hop.h"

struct node {
  int value;
  struct node *next;
};

static NOINLINE int walk(struct node *list, struct node *mark) {
  int seen = 0, previous = 0, score = 0;
  for (struct node *n = list; n; n = n->next) {
    score += seen ? 100 : 1;
    score += previous ? 1000 : 0;
    previous = n == mark;
    hop();
    seen |= previous;
    score += n->value;
  }
  return score;
}

int main(void) {
  struct node n[6];
  for (int i = 0; i < 6; i++)
    n[i] = (struct node){i, i < 5 ? &n[i + 1] : NULL};
  for (int i = 0; i < 6; i++)
    printf("%d\n", walk(n, n + i));
}
