; What is left of a copied struct with a pointer in it: loaded and stored as i64 (trap: laundering).
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: %skein.witness = alloca i64, align 8, !skein.local ![[LOCAL:[0-9]+]]
; CHECK: store volatile i64 %w, ptr %skein.witness
; CHECK: call void @g()
; CHECK-DAG: ![[LOCAL]] = !{i64 {{[0-9]+}}, i64 1, i64 0, i64 8, i64 1}
define void @f(ptr %p, ptr %q) {
  %w = load i64, ptr %p
  call void @g()
  store i64 %w, ptr %q
  ret void
}
declare void @g()
