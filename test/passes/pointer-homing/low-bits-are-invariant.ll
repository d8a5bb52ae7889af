; The low bits of an address do not change: frozen, no witness.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @f(
; CHECK-NOT: alloca
; CHECK: call i64 asm sideeffect "", "=r,0"(i64 %low)
; CHECK: call void @g()
define i64 @f(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %low = and i64 %a, 15
  call void @g()
  ret i64 %low
}
declare void @g()
