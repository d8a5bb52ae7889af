// Pointers are copied into an array of anything by functions that the compiler does not see, and a third one finds
// numbers.
#include "words.h"
struct array {
  void *data;
  size_t size;
};
static NOINLINE void set_(struct array *a, size_t i, const void *from) {
  memcpy((char *)a->data + i * a->size, from, a->size);
}
static void (*volatile set)(struct array *, size_t, const void *) = set_;
static NOINLINE void get_(struct array *a, size_t i, void *to) { memcpy(to, (char *)a->data + i * a->size, a->size); }
static void (*volatile get)(struct array *, size_t, void *) = get_;
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
