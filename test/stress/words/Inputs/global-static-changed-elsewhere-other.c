#include <stdint.h>
void hide_in_place(uint64_t *word, uint64_t k) { *word ^= k; }
