// The other unit of unseen-result.c.
#include <stdint.h>

uintptr_t words_plain(long *p) { return (uintptr_t)p; }
unsigned long words_hidden(long *p, unsigned long key) { return (uintptr_t)p ^ key; }
long words_negative(long *p) { return (long)-(uintptr_t)p; }
