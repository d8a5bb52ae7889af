; The address of a static alloca, and constant offsets from it, are derived again by the back end.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @f(
; CHECK-NEXT: %a = alloca [4 x i32]
; CHECK-NOT: alloca
; CHECK: call void @g(ptr %a)
; CHECK-NEXT: load i32, ptr %q
define i32 @f() {
  %a = alloca [4 x i32]
  %q = getelementptr i8, ptr %a, i64 8
  call void @g(ptr %a)
  %v = load i32, ptr %q
  ret i32 %v
}
declare void @g(ptr)
