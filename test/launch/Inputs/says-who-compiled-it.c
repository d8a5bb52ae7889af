// A program whose output differs between the two compilers, which `skein bench overhead` must notice.
#include <stdio.h>

int main(void) {
#ifdef SKEINCC
  puts("skeincc");
#else
  puts("clang");
#endif
  return 0;
}
