; A word that type-based alias information calls a number needs nothing.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK-NOT: witness
; CHECK: call void @g()
define void @f(ptr %p, ptr %q) {
  %w = load i64, ptr %p, !tbaa !0
  call void @g()
  store i64 %w, ptr %q, !tbaa !0
  ret void
}
declare void @g()
!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
