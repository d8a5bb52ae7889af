; A VLA of pointers begins with a link to the previous block and its size, and its chain has a head.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: %skein.blocks = alloca ptr, align 8, !skein.local ![[LOCAL:[0-9]+]]
; CHECK: store volatile ptr null, ptr %skein.blocks
; CHECK: %[[SIZE:.*]] = mul i64 %n, 8
; CHECK: %[[BYTES:.*]] = add i64 %[[SIZE]], 16
; CHECK: %vla.block = alloca i8, i64 %[[BYTES]], align 16
; CHECK: %[[PREVIOUS:.*]] = load volatile ptr, ptr %skein.blocks
; CHECK: store volatile ptr %[[PREVIOUS]], ptr %vla.block
; CHECK: store volatile i64 %[[BYTES]]
; CHECK: store volatile ptr %vla.block, ptr %skein.blocks
; CHECK: %vla = getelementptr inbounds i8, ptr %vla.block, i64 16
; CHECK: call void @g(ptr %vla)
; The head, the words from byte 16 on, and the links, last.
; CHECK: ![[LOCAL]] = !{i64 0, i64 0, i64 0, i64 8, i64 1, i64 2, i64 0, i64 8, i64 16, i64 2, i64 0, i64 0, i64 0}
define void @f(i64 %n) {
  %vla = alloca ptr, i64 %n
  call void @g(ptr %vla)
  ret void
}
declare void @g(ptr)
