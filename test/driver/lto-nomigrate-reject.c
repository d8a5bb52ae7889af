// A function that only its users declare SKEIN_NOMIGRATE is checked where the units come together.
// RUN: %skeincc -O2 -flto -c %s -o %t.use.o
// RUN: %skeincc -O2 -flto -DDEFINE -fno-inline -c %s -o %t.definition.o
// RUN: not %plain-skeincc -flto %t.use.o %t.definition.o -o %t 2>&1 | FileCheck %s
// CHECK: error: {{.*}}lto-nomigrate-reject.c:[[#@LINE+5]]:{{.*}}'calm' is SKEIN_NOMIGRATE but may reach a migration point: calm (lto-nomigrate-reject.c:[[#@LINE+5]]) calls other (lto-nomigrate-reject.c:[[#@LINE+5]]) calls skein_yield (lto-nomigrate-reject.c:[[#@LINE+4]])
#include <skein/skein.h>

#ifdef DEFINE
void other(int *p) { skein_yield(), ++*p; }
void calm(int *p) { other(p); }
#else
SKEIN_NOMIGRATE void calm(int *p);
int main(void) {
  int n = 0;
  calm(&n);
  return n;
}
#endif
