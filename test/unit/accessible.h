// Tells whether a byte may be read, without a signal handler: the kernel is asked to read it.
#ifndef SKEIN_TEST_UNIT_ACCESSIBLE_H
#define SKEIN_TEST_UNIT_ACCESSIBLE_H

#include <unistd.h>

inline bool accessible(const void *address) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  bool readable = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

#endif
