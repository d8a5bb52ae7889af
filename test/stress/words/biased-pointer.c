// The address of a local plus a number is used as a pointer: stored as one, passed to a function that the compiler does
// not see and given back by it, merged with another one, and counted on in a loop. It leads nowhere until the number is
// subtracted.
#include "words.h"

#define FAR ((uint64_t)1 << 50)
#define BIASED(p) ((char *)((uintptr_t)(p) + FAR))
#define PLAIN(p) ((long *)((uintptr_t)(p) - FAR))

union word {
  char *pointer;
  uint64_t number;
};

static NOINLINE void *pass(void *p) { return p; }
static NOINLINE union word pass_union(union word w) { return w; }
static void *(*volatile unseen)(void *) = pass;
static union word (*volatile unseen_union)(union word) = pass_union;

static NOINLINE long in_array(long *p) {
  char *array[2] = {BIASED(p), (char *)p};
  hop();
  return *PLAIN(array[key() & 0]);
}

static NOINLINE long in_volatile(long *p) {
  char *volatile biased = BIASED(p);
  hop();
  return *PLAIN(biased);
}

static NOINLINE long given_back(long *p) {
  char *biased = unseen(BIASED(p));
  hop();
  return *PLAIN(biased);
}

static NOINLINE long given_back_in_union(long *p) {
  union word word = unseen_union((union word){.number = (uint64_t)p + FAR});
  hop();
  return *PLAIN(word.pointer);
}

static NOINLINE long merged(long *p, int yes) {
  char *biased = yes ? BIASED(p) : (char *)p;
  hop();
  return yes ? *PLAIN(biased) : *(long *)biased;
}

static NOINLINE long counted_on(long *p) {
  char *biased = BIASED(p);
  for (int i = 0; i < 3; i++) {
    hop();
    biased += sizeof(long);
  }
  return *PLAIN(biased - 3 * sizeof(long));
}

int main(void) {
  long a = 5, b = 6;
  long *p = key() & 1 ? &a : &b;
  printf("%ld%ld%ld%ld%ld%ld%ld\n", in_array(p), in_volatile(p), given_back(p), given_back_in_union(p), merged(p, 1),
         merged(p, 0), counted_on(p));
}
