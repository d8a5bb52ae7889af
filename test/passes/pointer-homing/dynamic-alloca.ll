; A VLA of pointers has a descriptor: base and size, zero while there is no block.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: %vla.descriptor = alloca { ptr, i64 }, align 8, !skein.local ![[LOCAL:[0-9]+]]
; CHECK: store volatile i64 0
; CHECK: %vla = alloca ptr, i64 %n
; CHECK: store volatile ptr %vla, ptr %vla.descriptor
; CHECK: store volatile i64
; CHECK: call void @g(ptr %vla)
; CHECK: ![[LOCAL]] = !{i64 0, i64 0, i64 0, i64 8, i64 1, i64 2, i64 0, i64 8, i64 0}
define void @f(i64 %n) {
  %vla = alloca ptr, i64 %n
  call void @g(ptr %vla)
  ret void
}
declare void @g(ptr)
