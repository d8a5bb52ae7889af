; A byte buffer that is only ever used as a pointer is one; an integer that receives an address is ambiguous.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: %b = alloca [8 x i8], align 8, !skein.local ![[POINTER:[0-9]+]]
; CHECK: %i = alloca i64, align 8, !skein.local ![[AMBIGUOUS:[0-9]+]]
; CHECK-DAG: ![[POINTER]] = !{i64 {{[0-9]+}}, i64 0, i64 0, i64 8, i64 1}
; CHECK-DAG: ![[AMBIGUOUS]] = !{i64 {{[0-9]+}}, i64 1, i64 0, i64 8, i64 1}
define void @f(ptr %p) {
  %b = alloca [8 x i8], align 8
  %i = alloca i64, align 8
  store ptr %p, ptr %b
  %a = ptrtoint ptr %p to i64
  store i64 %a, ptr %i
  call void @g(ptr %b, ptr %i)
  ret void
}
declare void @g(ptr, ptr)
