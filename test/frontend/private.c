// SKEIN_PRIVATE on declarations and static locals, and variables that belong to libraries wherever they are declared.
// RUN: %skeincc -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %skeincc -O0 -fskein-globals=private -Wno-skein-global -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,PRIVATE
// RUN: not %skeincc -fsyntax-only -DLOCAL %s 2>&1 | FileCheck %s --check-prefix=LOCAL
#include <skein/skein.h>
#include <stdio.h>

// CHECK-DAG: @mine = {{.*}}section ".data.skein.private.mine"
SKEIN_PRIVATE int mine = 1;
// CHECK-DAG: @others = external hidden global i32, align 4 #[[P:[0-9]+]]
extern SKEIN_PRIVATE int others;
// CHECK-DAG: @f.calls = internal global i32 0, section ".bss.skein.private.f.calls"
// CHECK-DAG: @stdout = external global ptr{{.*}}
// PRIVATE-DAG: @plain = {{.*}}section ".data.skein.private.plain"
int plain = 3;
extern char *optarg; // declared by hand, but libc's
// CHECK-DAG: @optarg = external global ptr{{.*}}
_Thread_local int local = 2; // CHECK-DAG: @local = {{.*}}section ".data.skein.thread.local"

int f(void) {
  static SKEIN_PRIVATE int calls;
  fputs(optarg, stdout);
  return ++calls + mine + others + plain + local;
}
// CHECK: attributes #[[P]] = { "skein-private" }

#ifdef LOCAL
void g(void) {
  SKEIN_PRIVATE int here = 1; // LOCAL: error: 'skein_private' is for variables of the file and static ones: a local is the thread's own without it
  (void)here;
}
#endif
