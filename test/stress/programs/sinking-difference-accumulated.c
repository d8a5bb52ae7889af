// The sum of differences over calls: in its middle the machine code holds a number less an address.
#include "hop.h"

struct buffer {
  char *at, *end;
};

static NOINLINE void fill(struct buffer *out, const char *text) {
  hop();
  while (*text && out->at != out->end)
    *out->at++ = *text++;
  hop();
}

int main(void) {
  long total = 0, left = 0;
  for (int i = 0; i < 20; i++) {
    char first[32], second[48];
    struct buffer a = {first, first + sizeof first}, b = {second, second + sizeof second};
    fill(&a, &"a thread that goes on"[i]);
    fill(&b, "elsewhere");
    total += (a.at - first) + (b.at - second) * 3;
    left -= b.end - b.at;
    hop();
  }
  printf("%ld %ld\n", total, left);
}
