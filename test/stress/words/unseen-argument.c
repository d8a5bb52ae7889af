// Integers that are addresses are arguments of functions of another unit, which keep them over calls.
#include "words.h"

long words_use(unsigned long plain, uint64_t hidden, size_t shifted, long six, long seven, long eight, uint64_t ninth);
static void do_hop(void) { hop(); }
void (*words_hop)(void) = do_hop;
uint64_t (*words_key)(void) = key;

int main(void) {
  long a = 5;
  uintptr_t p = (uintptr_t)&a;
  printf("%ld\n", words_use(p, p ^ key(), p << 16, 6, 7, 8, ~p));
}
