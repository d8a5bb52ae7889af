// The other unit of unseen-writes-result.c.
#include <stdint.h>
#include <string.h>

void words_write(unsigned long *where, long *p) { *where = (uintptr_t)p; }
void words_write_bytes(unsigned char *where, long *p) { memcpy(where, &p, sizeof p); }
void words_write_hidden(double *where, long *p) {
  uintptr_t v = ~(uintptr_t)p;
  memcpy(where, &v, sizeof v);
}
