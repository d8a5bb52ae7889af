; In stress mode calls are added at the entry and around each call that may migrate, but not after one in tail position,
; and nothing is inferred away.
; RUN: %opt -skein-stress=calls -passes=source-facts,migration-points,verify -S %s | FileCheck %s
; RUN: %opt -passes=migration-points,verify -S %s | FileCheck --check-prefix=PLAIN %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; PLAIN-NOT: __skein_stress
; CHECK-LABEL: define i32 @f(
; CHECK-NEXT: %a = alloca i32
; CHECK-NEXT: call void @__skein_stress()
; CHECK-NEXT: call void @__skein_stress()
; CHECK-NEXT: call void @g()
; CHECK-NEXT: call void @__skein_stress()
; CHECK-NEXT: call i32 @abs
; CHECK-NEXT: call void @__skein_stress()
; CHECK-NEXT: tail call i32 @h()
; CHECK-NEXT: ret
define i32 @f() {
  %a = alloca i32
  call void @g()
  %v = call i32 @abs(i32 1)
  %t = tail call i32 @h()
  ret i32 %t
}
declare void @g()
declare i32 @h()
declare i32 @abs(i32)
