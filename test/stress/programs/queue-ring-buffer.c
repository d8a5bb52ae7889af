// A ring buffer of pointers with read and write cursors that wrap.
#include "hop.h"

struct ring {
  int *slots[5], **read, **write;
  int used;
};

static NOINLINE int put(struct ring *r, int *p) {
  if (r->used == 5)
    return 0;
  *r->write++ = p;
  hop();
  if (r->write == r->slots + 5)
    r->write = r->slots;
  r->used++;
  return 1;
}

static NOINLINE int *get(struct ring *r) {
  if (!r->used)
    return NULL;
  int *p = *r->read++;
  hop();
  if (r->read == r->slots + 5)
    r->read = r->slots;
  r->used--;
  return p;
}

int main(void) {
  struct ring r = {{0}, r.slots, r.slots, 0};
  int v[20], *p;
  for (int i = 0; i < 20; i++) {
    v[i] = i;
    put(&r, &v[i]);
    if (i % 3 && (p = get(&r)))
      printf("%d ", *p);
  }
  while ((p = get(&r)))
    printf("%d ", *p);
  printf("%ld\n", (long)(r.write - r.read));
}
