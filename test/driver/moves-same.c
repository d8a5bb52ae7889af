// With -fskein-moves=same, functions are byte for byte what clang makes of them. Remarks say which ones are not, and at
// which calls a thread stays on its node; skein explain says the same of a line, and skein maps of a program.
//
// RUN: echo "-fno-stack-protector -fstack-clash-protection -I%root/runtime/include -I%build/include -w" > %t.flags
// RUN: %skeincc -O0 -fskein-moves=same -w -c %s -o %t.0.o
// RUN: %clang -O0 @%t.flags -c %s -o %t.0.clang.o
// RUN: %python %S/Inputs/same_code.py %t.0.o %t.0.clang.o like_clang big variadic tell_nobody
// RUN: %skeincc -O1 -fPIC -fskein-moves=same -w -c %s -o %t.1.o
// RUN: %clang -O1 -fPIC @%t.flags -c %s -o %t.1.clang.o
// RUN: %python %S/Inputs/same_code.py %t.1.o %t.1.clang.o like_clang big variadic tell_nobody
// RUN: %skeincc -O2 -DMARK=SKEIN_MOVES_SAME -w -c %s -o %t.2.o -Rpass=skein-moves \
// RUN:   -Rpass-missed=skein-moves 2> %t.remarks
// RUN: %clang -O2 @%t.flags -c %s -o %t.2.clang.o
// RUN: %python %S/Inputs/same_code.py %t.2.o %t.2.clang.o like_clang big variadic tell_nobody
// RUN: FileCheck --check-prefix=REMARKS --input-file=%t.remarks %s
// RUN: %skeincc -O3 -fskein-moves=same -w -c %s -o %t.3.o
// RUN: %clang -O3 @%t.flags -c %s -o %t.3.clang.o
// RUN: %python %S/Inputs/same_code.py %t.3.o %t.3.clang.o like_clang big variadic tell_nobody
// RUN: %skeincc -O2 -fskein-moves=same -fskein-moves=any -w -c %s -o %t.any.o
// RUN: not %python %S/Inputs/same_code.py %t.any.o %t.2.clang.o like_clang
// RUN: not %skeincc -fskein-moves=some -w -c %s 2>&1 | FileCheck --check-prefix=WRONG %s
// WRONG: unknown option '-fskein-moves=some'
//
// RUN: %skein explain %s:52 -- -O2 -fskein-moves=same | FileCheck --check-prefix=EXPLAINED %s
// EXPLAINED: may migrate, but only to the same address:
// EXPLAINED-SAME: the function is compiled so that threads in it keep their address
// RUN: %skein explain %s:74 -- -O2 -fskein-moves=same | FileCheck --check-prefix=HIDDEN %s
// HIDDEN: keeps the thread where it is: the function is compiled without maps (moves=same), and an address is live in a
// HIDDEN-SAME: form in which it is not found
//
// RUN: %skein explain %s:81 -- -O2 -fskein-moves=same | FileCheck --check-prefix=HIDDEN %s
// RUN: %skein explain %s:88 -- -O2 -fskein-moves=same | FileCheck --check-prefix=HIDDEN %s
//
// REMARKS-DAG: remark: uses_errno is not compiled as clang does it: it has an address that belongs to the kernel thread
// REMARKS-DAG: remark: jumps is not compiled as clang does it: it calls setjmp
// REMARKS-DAG: remark: like_clang is compiled as clang does it: a thread in it keeps the address of its stack
// REMARKS-DAG: remark: a thread stays on its node during this call: the function is compiled without maps
// REMARKS-NOT: unmarked
#include <errno.h>
#include <setjmp.h>
#include <skein/skein.h>
#include <stdarg.h>
#include <stdint.h>
#ifndef MARK
#define MARK
#endif

int work(int *on);
MARK int like_clang(int *from, int count, int (*each)(int *), int *(*const *table)(void)) {
  int sum = work(from), own[8] = {count}, kept = sum * 3;
  if (each(from + 1))
    sum += each(from + count) + work(own + count % 8) + *(*table[count])() + *(*table[2])();
  for (int i = 0; i < count; i++)
    sum += from[i] * from[2 * i] + each(from + i) + work(own + i % 8) + *(*table[i])();
  return sum + own[1] + kept;
}
MARK int big(int a, int b, int c, int d, int e, int f, int *g, int *h) {
  int sizes[a];
  work(sizes);
  return work(g) + *h + sizes[b] + c + d + e + f;
}
MARK int variadic(int count, ...) {
  va_list arguments;
  va_start(arguments, count);
  int sum = work(&sum);
  while (count--)
    sum += work(va_arg(arguments, int *));
  va_end(arguments);
  return sum;
}
MARK int hides(int *from) {
  const uintptr_t hash = (uintptr_t)from * 31;
  int none = 0;
  work(&none);
  return none + (int)(hash >> 7);
}
/* Strength reduction begins far away from the object, as far as anybody can see. */
MARK int far_away(int *from, unsigned long first, unsigned long last) {
  int sum = 0;
  for (unsigned long i = first; i < last; i++)
    sum += work(&from[3 * first - i]);
  return sum;
}
/* clang folds the load of the target into the call, which has a site nevertheless. */
extern int (*hook)(int *);
MARK int folded(int *from) {
  const uintptr_t hash = (uintptr_t)from * 31;
  return hook(0) + (int)(hash >> 7);
}
/* What may be made of an address here is told by a constructor, and not where it is made. */
MARK void tell_nobody(uintptr_t *to, uintptr_t of, int *local) {
  *to = of * 31;
  work(local);
}
MARK int uses_errno(int *to) { return work(to) + errno; }
MARK int jumps(int *to) {
  jmp_buf here;
  return setjmp(here) ? *to : work(to);
}
int unmarked(int *to) { return work(to) + *to; }
