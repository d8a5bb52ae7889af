; A function without may-migrate calls stays as it is, but is marked as seen.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @leaf(
; CHECK-SAME: #[[ATTRS:[0-9]+]]
; CHECK-NEXT: %v = load i32, ptr %p
; CHECK-NEXT: ret i32 %v
; CHECK: attributes #[[ATTRS]] = { "skein-homed" }
define i32 @leaf(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
