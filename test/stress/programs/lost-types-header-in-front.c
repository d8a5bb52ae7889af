// A value is a number or the address of what follows its header; the last byte of the header is its kind. It is read by
// an unsigned index, which counts backwards because it wraps around, as in the runtime of OCaml.
#include "hop.h"

typedef long value;

struct block {
  unsigned long header;
  value fields[3];
};

static int kind_of(value v) {
  if (v & 1)
    return -1;
  return ((unsigned char *)v)[-sizeof(value)];
}

static NOINLINE long sum_of(value v) {
  hop();
  int kind = kind_of(v);
  if (kind < 0)
    return v >> 1;
  long sum = kind;
  for (int i = 0; i < 3; i++)
    sum = sum * 3 + sum_of(((value *)v)[i]);
  hop();
  return sum + ((unsigned char *)v)[-sizeof(value)];
}

int main(void) {
  static struct block blocks[4];
  value last = 1;
  for (int i = 0; i < 4; i++) {
    blocks[i].header = 3 << 10 | (i + 7);
    blocks[i].fields[0] = last;
    blocks[i].fields[1] = i << 1 | 1;
    blocks[i].fields[2] = last;
    last = (value)blocks[i].fields;
    hop();
  }
  printf("%ld\n", sum_of(last));
}
