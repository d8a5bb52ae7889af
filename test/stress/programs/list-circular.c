// A doubly linked ring with a sentinel in the frame, in which every link points into frames.
#include "hop.h"

struct link {
  struct link *next, *previous;
};
struct job {
  int number;
  struct link link;
};

static struct job *job_of(struct link *l) { return (struct job *)((char *)l - offsetof(struct job, link)); }

static NOINLINE void insert_before(struct link *at, struct link *l) {
  l->next = at;
  l->previous = at->previous;
  hop();
  at->previous->next = l;
  at->previous = l;
}

static NOINLINE int round_robin(struct link *ring, int step) {
  int order = 0;
  struct link *at = ring->next;
  while (ring->next != ring) {
    for (int i = 0; i < step; i++) {
      at = at->next;
      if (at == ring)
        at = at->next;
      hop();
    }
    struct link *out = at;
    order = order * 10 + job_of(out)->number;
    at = out->next == ring ? ring->next : out->next;
    out->previous->next = out->next;
    out->next->previous = out->previous;
    hop();
  }
  return order;
}

int main(void) {
  for (int step = 1; step < 5; step++) {
    struct link ring = {&ring, &ring};
    struct job jobs[8];
    for (int i = 0; i < 8; i++) {
      jobs[i].number = i + 1;
      insert_before(&ring, &jobs[i].link);
    }
    printf("%d\n", round_robin(&ring, step));
  }
}
