; A copy between shared and private memory is one call; shared to shared becomes a loop.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @get(
; CHECK: call void @__skein_shared_get(ptr %q, i64 %{{.*}}, i64 24)
define void @get(ptr addrspace(100) %p, ptr %q) {
  call void @llvm.memcpy.p0.p100.i64(ptr %q, ptr addrspace(100) %p, i64 24, i1 false)
  ret void
}
; CHECK-LABEL: define void @put(
; CHECK: call void @__skein_shared_put(i64 %{{.*}}, ptr %q, i64 24)
define void @put(ptr addrspace(100) %p, ptr %q) {
  call void @llvm.memcpy.p100.p0.i64(ptr addrspace(100) %p, ptr %q, i64 24, i1 false)
  ret void
}
; CHECK-LABEL: define void @both(
; CHECK-NOT: llvm.memcpy
; CHECK: call void @__skein_shared_get(
; CHECK: call void @__skein_shared_put(
define void @both(ptr addrspace(100) %p, ptr addrspace(100) %q, i64 %n) {
  call void @llvm.memcpy.p100.p100.i64(ptr addrspace(100) %p, ptr addrspace(100) %q, i64 %n, i1 false)
  ret void
}
