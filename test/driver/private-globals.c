// Units that disagree about a variable are found out: at the start, or by name when the variable is touched. A unit
// that declares a variable in the file itself accepts what its definition is. A shared object cannot have private
// variables. Large arrays of zeros take no space in the file.
// RUN: %plain-skeincc -O1 -fskein-globals=private -DUSER -c %s -o %t.user.o
// RUN: echo "extern int counter;" >%t.h
// RUN: %plain-skeincc -O1 -fskein-globals=private -DUSER -include %t.h -c %s -o %t.header-user.o
// RUN: %plain-skeincc -O1 -fskein-globals=private -DOWNER -c %s -o %t.owner.o
// RUN: %plain-skeincc -O1 -DOWNER -c %s -o %t.process.o
// RUN: %plain-skeincc -O1 -DUSER -c %s -o %t.ignorant.o
// RUN: %plain-skeincc %t.user.o %t.owner.o -o %t && %t | FileCheck %s --check-prefix=FINE
// RUN: %python -c "import os,sys; sys.exit(os.path.getsize(sys.argv[1]) > 4 << 20)" %t
// RUN: %plain-skeincc %t.user.o %t.process.o -o %t && %t | FileCheck %s --check-prefix=FINE
// RUN: %plain-skeincc %t.header-user.o %t.process.o -o %t && not %t 2>&1 | FileCheck %s --check-prefix=START
// RUN: %plain-skeincc -O1 -fskein-globals=private -DOWNER -DCONST=const -c %s -o %t.const.o
// RUN: %plain-skeincc %t.header-user.o %t.const.o -o %t && not %t 2>&1 | FileCheck %s --check-prefix=START
// RUN: %plain-skeincc %t.ignorant.o %t.owner.o -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=TOUCH
// RUN: not %plain-skeincc -shared -fPIC -fskein-globals=private -DOWNER %s -o %t.so 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: %plain-skeincc -shared -fPIC -DOWNER %s -o %t.so
// RUN: not %plain-skeincc -fskein-globals=some -c %s 2>&1 | FileCheck %s --check-prefix=OPTION

// FINE: 42 8388608
// START: variable `counter` is private to each thread in {{.*}}private-globals.c, but its definition belongs to the process, since it is in a unit or library compiled without -fskein-globals=private, or const: compile
// TOUCH: variable `counter` is private to each thread, but main in {{.*}} was compiled without knowing: compile it with -fskein-globals=private, or declare the variable SKEIN_PRIVATE there, too
// SHARED: private variables (-fskein-globals=private, SKEIN_PRIVATE, thread-local) must be part of the program itself, not of a shared object
// OPTION: unknown option '-fskein-globals=some'
#ifdef OWNER
#ifndef CONST
#define CONST
#endif
CONST int counter = 41;
char large[8 << 20];
#endif
#ifdef USER
#include <stdio.h>
extern int counter;
extern char large[8 << 20];
int main(void) {
  counter++;
  large[5] = 1;
  printf("%d %zu\n", counter, sizeof large);
  return 0;
}
#endif
