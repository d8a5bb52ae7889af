#include <stdint.h>
struct message {
  uint64_t kind, word;
};
void hide(struct message *m) { m->word ^= 0x5bd1e995a7c3f00d; }
