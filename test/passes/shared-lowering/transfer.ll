; Copies and fills are the intrinsic if the slices are mapped, and one call otherwise.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @get(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 8 %q, ptr align 4 %{{.*}}, i64 24, i1 false)
; CHECK: call void @__skein_shared_get(ptr %q, i64 %{{.*}}, i64 24)
define void @get(ptr addrspace(100) %p, ptr %q) {
  call void @llvm.memcpy.p0.p100.i64(ptr align 8 %q, ptr addrspace(100) align 4 %p, i64 24, i1 false)
  ret void
}
; CHECK-LABEL: define void @put(
; CHECK: call void @__skein_shared_put(i64 %{{.*}}, ptr %q, i64 24)
define void @put(ptr addrspace(100) %p, ptr %q) {
  call void @llvm.memcpy.p100.p0.i64(ptr addrspace(100) %p, ptr %q, i64 24, i1 false)
  ret void
}
; Both anchors are checked.
; CHECK-LABEL: define void @both(
; CHECK: and i1
; CHECK: call void @llvm.memmove.p0.p0.i64(
; CHECK: call void @__skein_shared_copy(i64 %{{.*}}, i64 %{{.*}}, i64 %n)
define void @both(ptr addrspace(100) %p, ptr addrspace(100) %q, i64 %n) {
  call void @llvm.memmove.p100.p100.i64(ptr addrspace(100) %p, ptr addrspace(100) %q, i64 %n, i1 false)
  ret void
}
; CHECK-LABEL: define void @fill(
; CHECK: call void @llvm.memset.p0.i64(
; CHECK: call void @__skein_shared_set(i64 %{{.*}}, i32 7, i64 %n)
define void @fill(ptr addrspace(100) %p, i64 %n) {
  call void @llvm.memset.p100.i64(ptr addrspace(100) %p, i8 7, i64 %n, i1 false)
  ret void
}
