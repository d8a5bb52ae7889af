// The other unit of unseen-keeper.c.
#include <string.h>

static unsigned long kept;

void words_keep(unsigned long word) { kept = word; }
unsigned long words_kept(void) { return kept; }
double words_kept_as_double(void) {
  double d;
  memcpy(&d, &kept, sizeof d);
  return d;
}
