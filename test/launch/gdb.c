/* `skein gdb` shows the threads that gdb itself does not see: of a program that it starts, and of all nodes of a run. */

// REQUIRES: gdb
// UNSUPPORTED: sanitized
// RUN: %plain-skeincc -g -O1 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %skein gdb -nx -batch -ex "skein threads" -ex "break arrived" -ex run -ex "skein threads" -ex "skein bt 2" \
// RUN:   -ex "skein thread 2" -ex up -ex "print mine" -ex "print *sum" -ex "skein thread" -ex "skein thread 1" -ex "skein bt 77" -ex "skein bt x" \
// RUN:   -ex "skein thread 3" -ex "skein bt all" -ex "continue" %t > %t.out 2>&1 < /dev/null
// RUN: FileCheck %s < %t.out

// A stripped program has its threads as well.
// RUN: llvm-strip %t -o %t.stripped
// RUN: env SKEIN_OPTIONS=workers=1 %skein gdb -nx -batch -ex "catch syscall write" -ex run -ex "skein threads" %t.stripped 2>&1 < /dev/null \
// RUN:   | FileCheck %s --check-prefix=STRIPPED

// RUN: %python %S/Inputs/gdb_run.py %skein %t 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: not %skein gdb 4000000 2>&1 | FileCheck %s --check-prefix=NO-PROCESS
// RUN: %skein gdb --print-script | FileCheck %s --check-prefix=SCRIPT

// CHECK: no process: `run`, `attach` or `core-file` first
// CHECK: node 0 (process {{[0-9]+}}): 3 threads
// CHECK-NEXT: 1 running {{ *}}on worker 0, gdb's thread 1
// CHECK-NEXT: 2 blocked {{ *}}waiter {{ *}}in skein_mutex_lock, in `down` ({{.*}}gdb.c:[[#@LINE+47]])
// CHECK-NEXT: 3 initialised {{ *}}to begin with `waiter`
// CHECK: #0 {{.*}}down ({{.*}}) at {{.*}}gdb.c:[[#@LINE+45]]
// CHECK-NEXT: #1 {{.*}}down ({{.*}}) at {{.*}}gdb.c:[[#@LINE+49]]
// CHECK-NEXT: #2 {{.*}}down ({{.*}}) at {{.*}}gdb.c:[[#@LINE+48]]
// CHECK-NEXT: #3 {{.*}}waiter ({{.*}}) at {{.*}}gdb.c
// CHECK-NEXT: #4 {{.*}}skein_thread_begin
// CHECK-NOT: #5
// CHECK: #1 {{.*}}down (
// CHECK: #2 {{.*}}down (
// CHECK: $1 = 1
// CHECK: $2 = 2
// CHECK: #0 {{.*}}arrived ()
// CHECK: #0 {{.*}}arrived ()
// CHECK: there is no thread 77 on node 0: `skein threads` lists those that are here
// CHECK: 'x' is no thread: `skein threads` lists them
// CHECK: thread 3 has not run yet, so it has no frames: it is to begin with `waiter`
// CHECK: Thread 1 of node 0 (running):
// CHECK-NEXT: #0 {{.*}}arrived ()
// CHECK: Thread 2 of node 0 (blocked):
// CHECK: Thread 3 of node 0 (initialised):
// CHECK-NEXT: to begin with `waiter`
// CHECK: sums 6 and 6
// CHECK: exited normally
// STRIPPED: node 0 (process {{[0-9]+}}): 3 threads
// STRIPPED: 2 blocked {{ *}}waiter {{ *}}in skein_mutex_lock
// NODES-DAG: node 0 (process {{[0-9]+}})
// NODES-DAG: away, on node 1: 4-5
// NODES-DAG: node 1 (process {{[0-9]+}})
// NODES-DAG: 1 {{(ready|running|blocked)}}
// NODES-DAG: {{^}}  4 {{.*}}moved 1 {{.*}}travel
// NODES: thread 4 is not on node 0: it went to node 1
// NODES: ended with status 0
// NO-PROCESS: skein gdb: there is no process 4000000
// SCRIPT: share/skein/gdb/skein.py

#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static skein_mutex_t mutex;

__attribute__((noinline)) static void down(int depth, long *sum) {
  long mine = depth;
  if (depth == 0) {
    skein_mutex_lock(&mutex);
    *sum += 1;
    skein_mutex_unlock(&mutex);
    return;
  }
  down(depth - 1, &mine);
  *sum += mine;
}

static long waiter(void) {
  long sum = 2;
  down(2, &sum);
  return sum;
}

static void wait_for_looks(void) {
  while (getenv("WAIT") && access(getenv("WAIT"), F_OK) != 0)
    skein_sleep_ns(20000000);
}

static void travel(void) {
  skein_push_self(1);
  printf("there\n");
  fflush(stdout);
  wait_for_looks();
}

__attribute__((noinline)) static void arrived(void) {
  printf("arrived\n");
  fflush(stdout);
}

int main(void) {
  skein_mutex_init(&mutex);
  skein_mutex_lock(&mutex);
  skein_thread_t first = skein_spawn_with(&(struct skein_attributes){.name = "waiter"}, waiter);
  skein_yield();
  skein_thread_t second = skein_spawn(waiter);
  for (int i = 0; i < 2 && skein_nodes() > 1; i++)
    skein_spawn(travel);
  arrived();
  wait_for_looks();
  skein_mutex_unlock(&mutex);
  long sums[2];
  skein_join_result(first, &sums[0]);
  skein_join_result(second, &sums[1]);
  printf("sums %ld and %ld\n", sums[0], sums[1]);
  return 0;
}
