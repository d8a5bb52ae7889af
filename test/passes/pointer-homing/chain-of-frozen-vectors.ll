; Two vectors, of which the second is computed from the first, have the pointer as their witness: although the first is
; frozen, it must be seen that the second came from it, too.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define <2 x i64> @f(
; CHECK-DAG: %[[FIRST:skein.witness]] = alloca ptr, align 8, !skein.local
; CHECK-DAG: %[[SECOND:skein.witness[0-9]+]] = alloca ptr, align 8, !skein.local
; CHECK: store volatile ptr %p, ptr %[[FIRST]]
; CHECK: call void @g()
; CHECK: store volatile ptr %p{{.*}}, ptr %[[SECOND]]
; CHECK: call void @g()
define <2 x i64> @f(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %one = insertelement <2 x i64> poison, i64 %a, i64 0
  %v = insertelement <2 x i64> %one, i64 %a, i64 1
  call void @g()
  %w = add <2 x i64> %v, splat (i64 4)
  call void @g()
  %sum = xor <2 x i64> %v, %w
  ret <2 x i64> %sum
}
declare void @g()
