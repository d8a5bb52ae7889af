; Both halves of an __int128 lie together: where one register is left they go to memory, aligned, and the register to the next argument.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; In @f %p goes in r9 (32), %q lies at 0, the number at 16, %p at 32. In @h the number goes in rcx and r8, %p in r9.
; CHECK: call void (i32, ...) @g({{.*}}!heapallocsite ![[FIRST:[0-9]+]]
; CHECK: call void (i32, ...) @g({{.*}}!heapallocsite ![[SECOND:[0-9]+]]
; CHECK-DAG: ![[FIRST]] = !{!"skein.site", i64 0, i64 32, i64 0, ![[OUTGOING:[0-9]+]], ![[NONE:[0-9]+]]}
; CHECK-DAG: ![[OUTGOING]] = !{i64 0, i64 32}
; CHECK-DAG: ![[SECOND]] = !{!"skein.site", i64 0, i64 32, i64 0, ![[NONE]], ![[NONE]]}
define void @f(ptr %p, ptr %q, i128 %n) {
  call void (i32, ...) @g(i32 1, i64 2, i64 3, i64 4, i64 5, ptr %p, ptr %q, i128 %n, ptr %p)
  ret void
}

define void @h(ptr %p, i128 %n) {
  call void (i32, ...) @g(i32 1, i64 2, i64 3, i128 %n, ptr %p)
  ret void
}
declare void @g(i32, ...)
