; The home is stored where that happens most rarely: here beside the cold call, not at the definition.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @f(
; CHECK: br i1 %c, label %cold, label %join
; CHECK: cold:
; CHECK-NEXT: store ptr %p, ptr %{{.*}}
; CHECK-NEXT: call void @g()
define i32 @f(ptr %p, i1 %c) {
  br i1 %c, label %cold, label %join, !prof !0
cold:
  call void @g()
  br label %join
join:
  %v = load i32, ptr %p
  ret i32 %v
}
declare void @g()
!0 = !{!"branch_weights", i32 1, i32 2000}
