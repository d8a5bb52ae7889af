// __builtin_frame_address and __builtin_return_address: addresses like others, also while they are live across calls.
#include "hop.h"

static NOINLINE int same_frame(int n) {
  void *here = __builtin_frame_address(0);
  hop();
  void *again = __builtin_frame_address(0);
  int inside[4] = {n};
  hop();
  return (here == again) * 10 + ((char *)inside < (char *)here) + inside[0] * 100;
}

static NOINLINE int direction(const char *above) {
  const char *here = __builtin_frame_address(0);
  hop();
  return here < above;
}
static NOINLINE int ordered(void) {
  const char *here = __builtin_frame_address(0);
  hop();
  int r = direction(here);
  hop();
  return r * 2 + (here == (const char *)__builtin_frame_address(0));
}

static NOINLINE void *caller(void) {
  void *to = __builtin_return_address(0);
  hop();
  return to == __builtin_return_address(0) ? to : NULL;
}
static NOINLINE int calls(void) {
  void *last = NULL;
  int same = 0;
  for (volatile int i = 0; i < 4; i++) {
    void *to = caller();
    hop();
    same += to == last;
    last = to;
  }
  return same;
}

static NOINLINE int extracted(void) {
  void *to = __builtin_extract_return_addr(__builtin_return_address(0));
  hop();
  return to == __builtin_extract_return_addr(__builtin_return_address(0));
}

struct record {
  void *frame, *from;
};
static NOINLINE int recorded(struct record *r) {
  struct record mine = {__builtin_frame_address(0), __builtin_return_address(0)};
  *r = mine;
  hop();
  return mine.frame == __builtin_frame_address(0) && mine.from == r->from;
}

int main(void) {
  struct record r;
  printf("%d %d %d %d", same_frame(3), ordered(), calls(), extracted());
  int same = recorded(&r);
  hop();
  printf(" %d %d\n", same, r.from != NULL);
}
