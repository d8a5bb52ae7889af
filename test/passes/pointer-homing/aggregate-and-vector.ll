; Aggregates and vectors of pointers have homes that describe each word.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define { ptr, i32 } @aggregate(
; CHECK: alloca { ptr, i32 }, align 8, !skein.local ![[ONE:[0-9]+]]
define { ptr, i32 } @aggregate() {
  %a = call { ptr, i32 } @make()
  call void @g()
  ret { ptr, i32 } %a
}
; CHECK-LABEL: define <2 x ptr> @vector(
; CHECK: alloca <2 x ptr>, align 16, !skein.local ![[TWO:[0-9]+]]
define <2 x ptr> @vector(<2 x ptr> %v) {
  call void @g()
  ret <2 x ptr> %v
}
; CHECK-DAG: ![[ONE]] = !{i64 0, i64 0, i64 0, i64 8, i64 1}
; CHECK-DAG: ![[TWO]] = !{i64 0, i64 0, i64 0, i64 8, i64 2}
declare { ptr, i32 } @make()
declare void @g()
