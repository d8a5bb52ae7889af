; An access is direct where the slice is mapped, else a call. One check serves both.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define double @f(
; CHECK: lshr i64 %{{.*}}, 36
; CHECK: and i64 %{{.*}}, 511
; CHECK: getelementptr inbounds [512 x i8], ptr @__skein_slice_mapped
; CHECK: br i1 %{{.*}}, label %shared.near, label %shared.far, !prof
; CHECK: shared.near:
; CHECK: load double, ptr %
; CHECK: store double %{{.*}}, ptr %
; CHECK: shared.far:
; CHECK: call void @__skein_shared_get(ptr %{{.*}}, i64 %{{.*}}, i64 8)
; CHECK: call void @__skein_shared_put(i64 %{{.*}}, ptr %{{.*}}, i64 8)
; CHECK: shared.done:
; CHECK: phi double
; CHECK-NOT: @__skein_slice_mapped
define double @f(ptr addrspace(100) %p) {
  %v = load double, ptr addrspace(100) %p
  %w = fadd double %v, 1.0
  store double %w, ptr addrspace(100) %p
  ret double %w
}
