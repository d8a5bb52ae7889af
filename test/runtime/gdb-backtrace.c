// gdb's backtrace of a thread that has moved many times, inside a process and through an image, must be that of a
// thread which has not moved: every frame with its file and line, down to the trampoline, where it ends.
// RUN: %skeincc -g -O1 -fskein-stress=calls %s -o %t
// RUN: gdb -q -nx -batch -ex "set backtrace past-main on" -ex "break arrived" -ex run -ex bt %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=stress_via=image gdb -q -nx -batch -ex "set backtrace past-main on" -ex "break arrived" -ex run -ex bt %t 2>&1 | FileCheck %s
// REQUIRES: gdb
// UNSUPPORTED: sanitized

// CHECK:      #0 {{.*}}arrived (
// CHECK-NEXT: #1 {{.*}}down ({{.*}}n={{(n@entry=)?}}0) at {{.*}}gdb-backtrace.c:[[#@LINE+14]]
// CHECK-NEXT: #2 {{.*}}down ({{.*}}n={{(n@entry=)?}}1) at {{.*}}gdb-backtrace.c:[[#@LINE+16]]
// CHECK-NEXT: #3 {{.*}}down ({{.*}}n={{(n@entry=)?}}2) at {{.*}}gdb-backtrace.c:[[#@LINE+15]]
// CHECK-NEXT: #4 {{.*}}main (
// CHECK-NEXT: #5 {{.*}}skein_thread_
// CHECK-NOT:  #6
// CHECK-NOT:  corrupt
static long total;

__attribute__((noinline)) static void arrived(long *out) { total += *out; }

__attribute__((noinline)) static void down(long *out, int n) {
  long mine = n;
  if (n == 0) {
    arrived(out);
    total++;
  } else {
    down(&mine, n - 1);
  }
  *out += mine;
}

int main(void) {
  long out = 0;
  down(&out, 2);
  return out != 3;
}
