// Pointers are copied into an array of anything whose elements have eight bytes. A third function finds numbers there.
#include "words.h"
struct array {
  void *data;
  size_t size;
};
static NOINLINE void set(struct array *a, size_t i, const void *from) { memcpy((char *)a->data + i * 8, from, 8); }
static NOINLINE void get(struct array *a, size_t i, void *to) { memcpy(to, (char *)a->data + i * a->size, a->size); }
static NOINLINE void mix(struct array *a, size_t i) { ((uint64_t *)a->data)[i] ^= key(); }
static NOINLINE long use(long *p) {
  uint64_t words[4] = {0};
  struct array a = {words, sizeof *words};
  set(&a, 1, &p);
  hop();
  mix(&a, 1);
  hop();
  mix(&a, 1);
  hop();
  long *back;
  get(&a, 1, &back);
  return *back;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
