// putenv makes a local array part of the environment.
// refused: library
#include "hop.h"
#include <stdlib.h>
#include <string.h>

static NOINLINE int ask(void) {
  char setting[32] = "SKEIN_TEST_SETTING=42";
  putenv(setting);
  hop();
  const char *value = getenv("SKEIN_TEST_SETTING");
  int n = value ? atoi(value) : -1;
  setting[19] = '9';
  hop();
  value = getenv("SKEIN_TEST_SETTING");
  n = n * 100 + (value ? atoi(value) : -1);
  unsetenv("SKEIN_TEST_SETTING");
  return n;
}

int main(void) {
  printf("%d\n", ask());
  hop();
  printf("%d\n", getenv("SKEIN_TEST_SETTING") == NULL);
}
