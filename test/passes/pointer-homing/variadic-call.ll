; The site of a variadic call says which arguments behind the named ones are pointers: registers as a mask, the rest by offset.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: notail call void (ptr, ...) @v({{.*}}!heapallocsite ![[SITE:[0-9]+]]
; rdi is named; rsi and r8 hold pointers; so does the second word on the stack.
; CHECK-DAG: ![[SITE]] = !{!"skein.site", i64 0, i64 18, i64 0, ![[OFFSETS:[0-9]+]],
; CHECK-DAG: ![[OFFSETS]] = !{i64 8}
define void @f(ptr %p, ptr %q) {
  tail call void (ptr, ...) @v(ptr %p, ptr %q, i32 1, i64 2, double 1.0, ptr %p, i32 3, i32 4, ptr %q)
  ret void
}
declare void @v(ptr, ...)
