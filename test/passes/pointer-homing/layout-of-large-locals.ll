; In a local of more than 4096 bytes the words are not judged one by one. Numbers among its pointers are ambiguous if an
; address is stored as a number, and so is an array of numbers whose address other code gets.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.large = type { ptr, [700 x i64] }
; CHECK-LABEL: define void @f(
; CHECK: %l = alloca %struct.large, align 8, !skein.local ![[LARGE:[0-9]+]]
; CHECK: %room = alloca [2000 x i64], align 8, !skein.local ![[ROOM:[0-9]+]]
; CHECK: call void @g(
; CHECK-DAG: ![[LARGE]] = !{i64 {{[0-9]+}}, i64 0, i64 0, i64 5608, i64 1, i64 1, i64 8, i64 8, i64 700}
; CHECK-DAG: ![[ROOM]] = !{i64 {{[0-9]+}}, i64 1, i64 0, i64 8, i64 2000}
define void @f(ptr %p, i64 %n) {
  %l = alloca %struct.large, align 8
  %room = alloca [2000 x i64], align 8
  %a = ptrtoint ptr %p to i64
  %at = getelementptr inbounds %struct.large, ptr %l, i64 0, i32 1, i64 %n
  store i64 %a, ptr %at, align 8
  call void @g(ptr %room)
  %b = load i64, ptr %at, align 8
  call void @use(i64 %b)
  ret void
}
declare void @g(ptr)
declare void @use(i64)
