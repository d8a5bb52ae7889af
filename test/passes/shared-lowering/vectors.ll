; Masked vectors stay as they are if the memory is mapped. Otherwise the lanes that the mask lets through are accessed
; one by one.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define <2 x double> @masked(
; CHECK: call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %
; CHECK: extractelement <2 x i1> %m, i64 0
; CHECK: call void @__skein_shared_get(
; CHECK: extractelement <2 x i1> %m, i64 1
; CHECK: call void @__skein_shared_get(
; CHECK: ret <2 x double>
define <2 x double> @masked(ptr addrspace(100) %p, <2 x i1> %m, <2 x double> %e) {
  %v = call <2 x double> @llvm.masked.load.v2f64.p100(ptr addrspace(100) align 8 %p, <2 x i1> %m, <2 x double> %e)
  ret <2 x double> %v
}
; CHECK-LABEL: define <2 x double> @gathered(
; CHECK: call <2 x double> @llvm.masked.gather.v2f64.v2p0(
; CHECK: ret <2 x double>
define <2 x double> @gathered(ptr addrspace(100) %p, <2 x i64> %i) {
  %a = getelementptr inbounds double, ptr addrspace(100) %p, <2 x i64> %i
  %v = call <2 x double> @llvm.masked.gather.v2f64.v2p100(<2 x ptr addrspace(100)> align 8 %a, <2 x i1> splat (i1 true), <2 x double> poison)
  ret <2 x double> %v
}
; CHECK-LABEL: define void @scattered(
; CHECK: store double
; CHECK: store double
; CHECK: ret void
define void @scattered(<2 x ptr addrspace(100)> %p, <2 x double> %v) {
  call void @llvm.masked.scatter.v2f64.v2p100(<2 x double> %v, <2 x ptr addrspace(100)> align 8 %p, <2 x i1> splat (i1 true))
  ret void
}
