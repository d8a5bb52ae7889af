#include <stdint.h>
struct record {
  uint64_t word, other;
};
void hide_in_place(struct record *r, uint64_t k) { r->word ^= k; }
