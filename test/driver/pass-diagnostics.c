// Reports of the passes are clang diagnostics: with place and source line, without -g, under their own flags.
// RUN: %plain-skeincc -O2 -c %s -o %t.o 2>&1 | FileCheck --check-prefixes=WARNING,PLACE %s
// RUN: %plain-skeincc -O0 -g -c %s -o %t.o 2>&1 | FileCheck --check-prefixes=WARNING,PLACE %s
// RUN: not %plain-skeincc -O2 -Werror=skein-pinned -c %s -o %t.absent.o 2>&1 | FileCheck --check-prefixes=ERROR,PLACE %s
// RUN: not ls %t.absent.o
// RUN: %plain-skeincc -O2 -Wno-skein-pinned -c %s -o %t.o 2>&1 | count 0
// RUN: %plain-skeincc -O2 -w -c %s -o %t.o 2>&1 | count 0

// Plain -Werror leaves alone what depends on the optimiser.
// RUN: %plain-skeincc -O2 -Werror -c %s -o %t.o 2>&1 | FileCheck --check-prefixes=WARNING,PLACE %s

// Where #line names a file that is not there, its name and line are in the text.
// RUN: %plain-skeincc -O2 -DLINE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=LINE %s

// From IR there is no source to show.
// RUN: %plain-skeincc -O2 -w -S -emit-llvm -Xclang -disable-llvm-passes %s -o %t.ll
// RUN: %plain-skeincc -O2 -c %t.ll -o %t.o 2>&1 | FileCheck --check-prefix=IR %s

// WARNING: pass-diagnostics.c:[[#@LINE+17]]:3: warning: {{.*}}returns twice{{.*}} [-Wskein-pinned]
// ERROR: pass-diagnostics.c:[[#@LINE+16]]:3: error: {{.*}}returns twice{{.*}} [-Werror,-Wskein-pinned]
// PLACE-NEXT: g(&local);
// PLACE-NEXT: ^
// LINE: warning: grammar.y:80: {{.*}} [-Wskein-pinned]
// IR: warning: {{.*}}pass-diagnostics.c:[[#@LINE+10]]:7: in function f {{.*}} [-Wskein-pinned]
#include <unistd.h>

void g(void *);

int f(int n) {
  int local = n;
#ifdef LINE
#line 77 "grammar.y"
#endif
  if (vfork())
    return 1;
  g(&local);
  return local;
}
