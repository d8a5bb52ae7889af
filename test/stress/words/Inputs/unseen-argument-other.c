// The other unit of unseen-argument.c.
#include <stddef.h>
#include <stdint.h>

extern void (*words_hop)(void);
extern uint64_t (*words_key)(void);

long words_use(unsigned long plain, uint64_t hidden, size_t shifted, long six, long seven, long eight, uint64_t ninth) {
  words_hop();
  long sum = *(long *)plain;
  words_hop();
  sum = sum * 10 + *(long *)(hidden ^ words_key());
  words_hop();
  sum = sum * 10 + *(long *)(shifted >> 16);
  words_hop();
  return sum * 1000 + *(long *)~ninth + six * seven * eight;
}
