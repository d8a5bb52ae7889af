// Coroutines by a switch on a saved line: state, including pointers into other frames, in structs.
#include "hop.h"

struct generator {
  int state, i;
  const int *from;
  struct generator *source;
};

static NOINLINE int resume(struct generator *g, int *out) {
  switch (g->state) {
  case 0:
    if (!g->source)
      for (g->i = 0; g->i < 9; g->i++) {
        *out = g->from[g->i];
        g->state = 1;
        hop();
        return 1;
      case 1:;
      }
    else
      while (resume(g->source, &g->i)) {
        if (g->i % 3 == 0)
          continue;
        *out = g->i * 2;
        g->state = 2;
        hop();
        return 1;
      case 2:;
      }
  }
  g->state = 3;
  return 0;
}

int main(void) {
  int numbers[9], n;
  for (int i = 0; i < 9; i++)
    numbers[i] = i * 5 + 1;
  struct generator source = {.from = numbers}, filter = {.source = &source}, again = {.source = &filter};
  while (resume(&again, &n))
    printf("%d ", n);
  printf("\n");
}
