; The words of a byval argument lie in the caller; with pointers in it, it becomes a local.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.s = type { ptr, i64, i64 }
; CHECK-LABEL: define ptr @f(
; CHECK: %s.copy = alloca %struct.s, align 8, !skein.local
; CHECK: call void @llvm.memcpy{{.*}}(ptr align 8 %s.copy, ptr align 8 %s, i64 24, i1 false)
; CHECK: call void @g()
; CHECK: load ptr, ptr %s.copy
define ptr @f(ptr byval(%struct.s) align 8 %s) {
  call void @g()
  %p = load ptr, ptr %s
  ret ptr %p
}
declare void @g()
