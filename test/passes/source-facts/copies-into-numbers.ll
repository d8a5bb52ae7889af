; A copy into a place that is declared as a number becomes integers, unless its source is a number. All others stay
; copies.
; RUN: %opt -passes=source-facts,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.message = type { i64, double, ptr }
%union.word = type { i64 }

; CHECK-LABEL: define void @into_member(
; CHECK: %[[W:.*]] = load i64, ptr %p, align 8
; CHECK: store i64 %[[W]], ptr %word, align 8
; CHECK-NEXT: ret void
define void @into_member(ptr %m) {
  %p = alloca ptr
  %word = getelementptr inbounds %struct.message, ptr %m, i32 0, i32 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %word, ptr align 8 %p, i64 8, i1 false)
  ret void
}

; Everything is read before anything is written.
; CHECK-LABEL: define void @into_elements(
; CHECK: %[[A:.*]] = load i64, ptr %from, align 4
; CHECK: %[[B:.*]] = load i64, ptr %{{.*}}, align 4
; CHECK: store i64 %[[A]], ptr %element, align 8
; CHECK: store i64 %[[B]], ptr %{{.*}}, align 8
; CHECK-NEXT: ret void
define void @into_elements(i64 %n, ptr %from) {
  %array = alloca [8 x i64]
  %element = getelementptr inbounds [8 x i64], ptr %array, i64 0, i64 %n
  call void @llvm.memmove.p0.p0.i64(ptr align 8 %element, ptr align 4 %from, i64 16, i1 false)
  ret void
}

; A pointer is copied into two halves.
; CHECK-LABEL: define void @into_halves(
; CHECK: %[[W:.*]] = load i64, ptr %p, align 8
; CHECK: store i64 %[[W]], ptr %halves, align 4
; CHECK-NOT: call
; CHECK: call void @llvm.memcpy
; CHECK-NEXT: ret void
define void @into_halves(ptr %from) {
  %p = alloca ptr
  %halves = alloca [2 x i32]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %halves, ptr align 8 %p, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %halves, ptr align 8 %from, i64 8, i1 false)
  ret void
}

; Nothing is done for copies from a number to a number, into a pointer, a union or an unknown place, for too large ones,
; and for the assignment of a struct.
; CHECK-LABEL: define void @others(
; CHECK-COUNT-7: call void @llvm.memcpy
; CHECK-NOT: store
; CHECK: ret void
define void @others(ptr %m, ptr %u, ptr %p) {
  %n = alloca i64
  %q = alloca ptr
  %large = alloca [64 x i64]
  %number = getelementptr inbounds %struct.message, ptr %m, i32 0, i32 1
  %pointer = getelementptr inbounds %struct.message, ptr %m, i32 0, i32 2
  %word = getelementptr inbounds %union.word, ptr %u, i32 0, i32 0
  call void @llvm.memcpy.p0.p0.i64(ptr %number, ptr %n, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %pointer, ptr %q, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %word, ptr %q, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %large, ptr %p, i64 512, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %number, ptr %q, i64 4, i1 false)
  %whole = getelementptr inbounds %struct.message, ptr %m, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr %whole, ptr %p, i64 24, i1 false)
  ret void
}
