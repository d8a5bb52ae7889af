; A pointer that is only an argument of the call, or its result, needs no home.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @f(
; CHECK-NOT: alloca
; CHECK: call ptr @g(ptr %p){{.*}}, !heapallocsite ![[SITE:[0-9]+]]
; CHECK: ![[SITE]] = !{!"skein.site", i64 0, i64 0, i64 1, ![[NONE:[0-9]+]], ![[NONE]]}
define i32 @f(ptr %p) {
  %q = call ptr @g(ptr %p)
  %v = load i32, ptr %q
  ret i32 %v
}
declare ptr @g(ptr)
