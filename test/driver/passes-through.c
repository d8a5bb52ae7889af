// skeincc does all that clang can do, without a warning of its own: it makes each kind of output, and takes inputs of
// other kinds.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain-skeincc -E %s -Wall -Werror | FileCheck --check-prefix=PREPROCESSED %s
// RUN: %plain-skeincc -M %s | FileCheck --check-prefix=DEPENDENCIES %s
// RUN: %plain-skeincc -fsyntax-only -Wall -Wextra -Werror %s
// RUN: %plain-skeincc -S -emit-llvm -O1 -g -Wall -Werror %s -o - | FileCheck --check-prefix=IR %s
// RUN: %plain-skeincc -S -Os -Wall -Werror %s -o s.s
// RUN: %plain-skeincc -c -Wall -Werror s.s -o s.o
// RUN: %plain-skeincc -c -Wall -Werror -x assembler-with-cpp s.s -o s2.o
// RUN: %plain-skeincc -c -MMD -MF s.d -Wall -Werror %s -o c.o
// RUN: FileCheck --check-prefix=DEPENDENCIES %s < s.d
// RUN: %plain-skeincc -E %s -o i.i
// RUN: %plain-skeincc -c -Wall -Werror i.i -o i.o
// RUN: %plain-skeincc -c -x c++ -Wall -Werror %s -o cpp.o
// RUN: %plain-skein++ -c -Wall -Werror -Wno-deprecated %s -o cpp2.o
// RUN: %plain-skeincc -c -Wall -Werror -x c - -o stdin.o < %s
// RUN: %plain-skeincc -c -o -flto %s && ls ./-flto
// RUN: not %plain-skeincc 2>&1 | FileCheck --check-prefix=NOTHING %s
// RUN: not %plain-skeincc -c %s -o 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: not %plain-skeincc -c %t/absent.c 2>&1 | FileCheck --check-prefix=ABSENT %s

// PREPROCESSED: int f(int argument) { return argument + 1; }
// DEPENDENCIES: passes-through.c
// IR: define {{.*}}@f(
// IR: !DILocalVariable(name: "argument"
// NOTHING: error: no input files
// MISSING: error: argument to '-o' is missing
// ABSENT: error: no such file or directory: '{{.*}}absent.c'
#ifdef __cplusplus
extern "C"
#endif
    int
    f(int argument);

int f(int argument) { return argument + __SKEIN__; }
