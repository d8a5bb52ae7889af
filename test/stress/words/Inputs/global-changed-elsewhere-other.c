#include <stdint.h>
extern uint64_t kept_word;
void hide_in_place(uint64_t k) { kept_word ^= k; }
