; A pointer to shared memory is the same on every node: no home.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define ptr addrspace(100) @f(
; CHECK-NOT: alloca
; CHECK: ret ptr addrspace(100) %p
define ptr addrspace(100) @f(ptr addrspace(100) %p) {
  call void @g()
  ret ptr addrspace(100) %p
}
declare void @g()
