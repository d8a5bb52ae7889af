// Source lines are known to the passes without -g, and cost nothing in the object file.
// RUN: %plain-skeincc -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// RUN: %plain-skeincc -O2 -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck --check-prefix=OBJECT %s
// RUN: %plain-skeincc -O2 -g -c %s -o %t.g.o
// RUN: llvm-readelf -S %t.g.o | FileCheck --check-prefix=DEBUG %s
// A -Rpass-missed of the user's own takes precedence.
// RUN: %plain-skeincc -O2 -Rpass-missed=inline -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REMARK %s

// IR: call {{.*}}@outside{{.*}}!dbg
// IR: emissionKind: NoDebug
// OBJECT-NOT: .debug
// DEBUG: .debug_info
// REMARK: remark: {{.*}}apart
void outside(int *);
__attribute__((noinline)) static void apart(int *to) { *to += 1; }
void inside(void) {
  int local = 0;
  apart(&local);
  outside(&local);
}
