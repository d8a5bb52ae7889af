// Structs of 12, 16 and 40 bytes go by value; an address is in their bytes, at odd places.
#include "words.h"

struct small {
  unsigned char bytes[12];
};
struct middle {
  unsigned char bytes[16];
};
struct large {
  unsigned char bytes[40];
};

static NOINLINE long load(const unsigned char *at) {
  long *p;
  memcpy(&p, at, sizeof p);
  return *p;
}

static NOINLINE long use_small(struct small s) {
  hop();
  return load(s.bytes + 1);
}
static NOINLINE long use_middle(struct middle s) {
  hop();
  return load(s.bytes + 8);
}
static NOINLINE long use_large(struct large s) {
  hop();
  return load(s.bytes + 21);
}
static long (*volatile small)(struct small) = use_small;
static long (*volatile middle)(struct middle) = use_middle;
static long (*volatile large)(struct large) = use_large;

static NOINLINE long use(long *p) {
  struct small s = {{0}};
  struct middle m = {{0}};
  struct large l = {{0}};
  memcpy(s.bytes + 1, &p, sizeof p);
  memcpy(m.bytes + 8, &p, sizeof p);
  memcpy(l.bytes + 21, &p, sizeof p);
  long sum = small(s);
  sum = sum * 10 + middle(m);
  return sum * 10 + large(l);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
