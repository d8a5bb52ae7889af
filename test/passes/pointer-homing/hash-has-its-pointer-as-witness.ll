; The witness of a number that is no address any more is the pointer it came from.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @f(
; CHECK: %skein.witness = alloca ptr, align 8, !skein.local ![[LOCAL:[0-9]+]]
; CHECK: %[[FROZEN:.*]] = call i64 asm sideeffect "", "=r,0"(i64 %h)
; CHECK: store volatile ptr %p, ptr %skein.witness
; CHECK: call void @g()
; CHECK: ret i64 %[[FROZEN]]
; CHECK: ![[LOCAL]] = !{i64 0, i64 1, i64 0, i64 8, i64 1}
define i64 @f(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %h = mul i64 %a, 1000003
  call void @g()
  ret i64 %h
}
declare void @g()
