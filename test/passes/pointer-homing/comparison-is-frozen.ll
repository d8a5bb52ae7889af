; A comparison of pointers that is used after the call is computed before it, for good (trap: sinking).
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i1 @f(
; CHECK: %c = icmp eq ptr %p, %q
; CHECK: %[[ASM:.*]] = call i8 asm sideeffect "", "=r,0"
; CHECK: %c.frozen = trunc i8 %[[ASM]] to i1
; CHECK: call void @g()
; CHECK: ret i1 %c.frozen
define i1 @f(ptr %p, ptr %q) {
  %c = icmp eq ptr %p, %q
  call void @g()
  ret i1 %c
}
declare void @g()
