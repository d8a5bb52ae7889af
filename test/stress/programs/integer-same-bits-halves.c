// An address printed into text and read back as an integer: bits without any type. The text must stay as it was, and
// so must the number; nothing is dereferenced.
#include "hop.h"
#include <stdlib.h>
#include <string.h>

static NOINLINE int compare(void) {
  char text[32], again[32];
  int local = 1;
  int *volatile p = &local;
  snprintf(text, sizeof text, "%p", (void *)p);
  unsigned long number = strtoul(text, NULL, 0);
  unsigned long inverse = ~number;
  hop();
  snprintf(again, sizeof again, "0x%lx", number);
  int same_text = strcmp(text, again) == 0;
  hop();
  return same_text * 4 + (number == ~inverse) * 2 + (*p == 1);
}

int main(void) { printf("%d\n", compare()); }
