// The vtable's address as a number, hashed, in halves, and under a key.
#include "words.h"
struct Base {
  long n = 3;
  virtual long get() { return n; }
  virtual ~Base() {}
};
struct More : Base {
  long get() override { return n * 2; }
};
static NOINLINE uint64_t table(const Base &b) {
  uint64_t t;
  memcpy(&t, (const void *)&b, 8);
  return t;
}
static NOINLINE long use(Base *b) {
  uint64_t t = table(*b), hashed = t * UINT64_C(0x9e3779b97f4a7c15) >> 20, hidden = t ^ key();
  uint32_t low = (uint32_t)t;
  long wrong = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    uint64_t now = table(*b);
    wrong += (now != t) + (now * UINT64_C(0x9e3779b97f4a7c15) >> 20 != hashed) + ((now ^ key()) != hidden) +
             ((uint32_t)now != low);
    wrong += b->get() != 6;
  }
  return wrong;
}
int main() {
  More m;
  hop_pointer(&m);
  printf("%ld\n", use(&m));
}
