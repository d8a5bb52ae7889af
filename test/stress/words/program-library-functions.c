// Addresses of functions and data of the C library as numbers.
// flags: -ldl
#include "words.h"
#include <dlfcn.h>
#include <math.h>
static NOINLINE long use(void) {
  uint64_t a = (uintptr_t)&strtol ^ key(), b = (uintptr_t)dlsym(RTLD_DEFAULT, "atoi") * 3;
  double (*f)(double) = fabs;
  uint64_t h = (uintptr_t)f * 0x9e3779b97f4a7c15;
  long wrong = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    wrong += ((uintptr_t)&strtol ^ key()) != a;
    wrong += (uintptr_t)dlsym(RTLD_DEFAULT, "atoi") * 3 != b;
    wrong += (uintptr_t)f * 0x9e3779b97f4a7c15 != h;
    wrong += ((long (*)(const char *, char **, int))(a ^ key()))("17", 0, 10) != 17;
  }
  return wrong;
}
int main(void) { printf("%ld\n", use()); }
