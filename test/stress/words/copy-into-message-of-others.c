// A pointer is copied into a member of a message that is declared as a number, and another file changes the message.
#include "words.h"
struct message {
  uint64_t kind, word;
};
static NOINLINE void put(struct message *m, long *p) { memcpy(&m->word, &p, sizeof p); }
void hide(struct message *m);
static NOINLINE long *get(struct message *m) {
  long *p;
  memcpy(&p, &m->word, sizeof p);
  return p;
}
static NOINLINE long use(long *p) {
  struct message m = {1, 0};
  put(&m, p);
  hop();
  hop();
  hide(&m);
  hop();
  hide(&m);
  hop();
  return *get(&m);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
