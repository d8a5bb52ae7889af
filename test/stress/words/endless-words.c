// A loop without an end keeps words that are addresses, in locals that others read and write.
#include "words.h"

struct state {
  uintptr_t plain;
  uint64_t hidden;
  unsigned char bytes[8];
};

struct server {
  struct state *state;
  long steps, sum;
};

static NOINLINE void step(struct server *s) {
  hop();
  long *p;
  memcpy(&p, s->state->bytes, sizeof p);
  s->sum = s->sum * 10 + *(long *)s->state->plain + *(long *)(s->state->hidden ^ key()) + *p;
  if (++s->steps == 3) {
    printf("%ld\n", s->sum);
    exit(0);
  }
}

static NOINLINE void fill(struct server *s, struct state *state, long *p) {
  s->state = state;
  state->plain = (uintptr_t)p;
  state->hidden = (uintptr_t)p ^ key();
  memcpy(state->bytes, &p, sizeof p);
}

int main(void) {
  struct server s = {0};
  struct state state;
  long value = 2;
  fill(&s, &state, &value);
  for (;;) {
    hop();
    step(&s);
  }
}
