; An address that is used as a number stays as it is; a witness refuses the move if it matters.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @f(
; CHECK: %skein.witness = alloca i64, align 8, !skein.local ![[LOCAL:[0-9]+]]
; CHECK: store volatile i64 {{.*}}, ptr %skein.witness
; CHECK: call void @g()
; CHECK-NOT: load i64
; CHECK: ret i64
; CHECK: ![[LOCAL]] = !{i64 0, i64 1, i64 0, i64 8, i64 1}
define i64 @f(ptr %p) {
  %a = ptrtoint ptr %p to i64
  call void @g()
  ret i64 %a
}
declare void @g()
