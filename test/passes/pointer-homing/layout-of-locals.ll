; Layouts come from types: structs in an array, unions, byte buffers. Code that gets the address of an array of integers
; may place an object with pointers there.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.item = type { i32, ptr, i64 }
%union.either = type { ptr }
; CHECK-LABEL: define void @f(
; CHECK: %items = alloca [3 x %struct.item], align 8, !skein.local ![[ITEMS:[0-9]+]]
; CHECK: %u = alloca %union.either, align 8, !skein.local ![[UNION:[0-9]+]]
; CHECK: %bytes = alloca [24 x i8], align 16, !skein.local ![[BYTES:[0-9]+]]
; CHECK: %n = alloca [4 x i64], align 8, !skein.local ![[NUMBERS:[0-9]+]]
; CHECK: call void @g(
; CHECK-DAG: ![[ITEMS]] = !{i64 {{[0-9]+}}, i64 0, i64 8, i64 24, i64 3}
; CHECK-DAG: ![[UNION]] = !{i64 {{[0-9]+}}, i64 1, i64 0, i64 8, i64 1}
; CHECK-DAG: ![[NUMBERS]] = !{i64 {{[0-9]+}}, i64 1, i64 0, i64 8, i64 4}
; CHECK-DAG: ![[BYTES]] = !{i64 {{[0-9]+}}, i64 1, i64 0, i64 1, i64 17}
define void @f() {
  %items = alloca [3 x %struct.item], align 8
  %u = alloca %union.either, align 8
  %bytes = alloca [24 x i8], align 16
  %n = alloca [4 x i64], align 8
  call void @g(ptr %items, ptr %u, ptr %bytes, ptr %n)
  ret void
}
declare void @g(ptr, ptr, ptr, ptr)
