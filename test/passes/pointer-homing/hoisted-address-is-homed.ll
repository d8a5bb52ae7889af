; An integer that is an address and ends in complete differences moves like a pointer (trap: address integers).
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @f(
; CHECK: %[[HOME:.*]] = alloca i64, align 8, !skein.local ![[LOCAL:[0-9]+]]
; CHECK: store i64 %a, ptr %[[HOME]]
; CHECK: call ptr @g()
; CHECK: %[[RELOAD:.*]] = load i64, ptr %[[HOME]]
; CHECK: sub i64 %b, %[[RELOAD]]
; CHECK: ![[LOCAL]] = !{i64 0, i64 0, i64 0, i64 8, i64 1}
define i64 @f(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %q = call ptr @g()
  %b = ptrtoint ptr %q to i64
  %d = sub i64 %b, %a
  ret i64 %d
}
declare ptr @g()
