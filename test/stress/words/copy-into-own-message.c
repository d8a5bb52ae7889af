// A pointer is copied into a member that is declared as a number, and its owner computes with it.
#include "words.h"
struct message {
  uint64_t kind, word;
};
static NOINLINE void send(struct message *m) { hop_pointer(m); }
static NOINLINE long use(long *p) {
  struct message m = {1, 0};
  memcpy(&m.word, &p, sizeof p);
  send(&m);
  m.word = m.word * 3 + m.kind;
  send(&m);
  hop();
  m.word = (m.word - m.kind) / 3;
  send(&m);
  long *back;
  memcpy(&back, &m.word, sizeof back);
  return *back;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
