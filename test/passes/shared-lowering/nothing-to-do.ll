; Private memory is accessed as before.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @f(
; CHECK-NEXT: %v = load i32, ptr %p
; CHECK-NEXT: ret i32 %v
define i32 @f(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
