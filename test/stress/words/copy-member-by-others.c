// A function that does not know what it copies fills a member that is declared as a number.
#include "words.h"
struct message {
  uint64_t kind, word;
};
static NOINLINE void *copy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
static void *(*volatile copy_it)(void *, const void *, size_t) = copy;
static NOINLINE long use(long *p) {
  struct message m = {1, 0};
  copy_it(&m.word, &p, sizeof p);
  uint64_t hidden = m.word ^ key();
  m.word = 0;
  hop();
  m.word = hidden ^ key();
  hop();
  long *back;
  copy_it(&back, &m.word, sizeof back);
  return *back;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
