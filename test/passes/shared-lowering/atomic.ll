; Atomic operations are instructions if the memory is mapped, and are done by the owner otherwise. Those that the owner
; does not know become compare loops.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @add(
; CHECK: atomicrmw add ptr %{{.*}}, i32 1 monotonic
; CHECK-NOT: @__skein_shared_caching
; CHECK: call i64 @__skein_shared_atomic(i64 %{{.*}}, i64 1, i64 0, i64 1028)
; CHECK: ret i32
define i32 @add(ptr addrspace(100) %p) {
  %o = atomicrmw add ptr addrspace(100) %p, i32 1 monotonic
  ret i32 %o
}
; CHECK-LABEL: define i32 @ordered(
; CHECK: load i8, ptr @__skein_shared_caching
; CHECK: call void @__skein_shared_release()
; CHECK: atomicrmw nand ptr
; CHECK: load i8, ptr @__skein_shared_caching
; CHECK: call void @__skein_shared_acquire()
; CHECK: call i64 @__skein_shared_atomic(
; CHECK: ret i32
define i32 @ordered(ptr addrspace(100) %p) {
  %o = atomicrmw nand ptr addrspace(100) %p, i32 1 seq_cst
  ret i32 %o
}
; CHECK-LABEL: define float @floats(
; CHECK: cmpxchg ptr
; CHECK: call i64 @__skein_shared_atomic(
; CHECK: ret float
define float @floats(ptr addrspace(100) %p) {
  %o = atomicrmw fadd ptr addrspace(100) %p, float 1.0 monotonic
  ret float %o
}
; CHECK-LABEL: define i1 @compare(
; CHECK: cmpxchg ptr %{{.*}}, i8 %e, i8 %n acquire monotonic
; CHECK: %[[OLD:.*]] = call i64 @__skein_shared_atomic(i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 131331)
; CHECK: icmp eq i64 %[[OLD]], %
; CHECK: ret i1
define i1 @compare(ptr addrspace(100) %p, i8 %e, i8 %n) {
  %pair = cmpxchg ptr addrspace(100) %p, i8 %e, i8 %n acquire monotonic
  %s = extractvalue { i8, i1 } %pair, 1
  ret i1 %s
}
; CHECK-LABEL: define double @load_and_store(
; CHECK: load atomic double, ptr %{{.*}} acquire
; CHECK: store atomic double %{{.*}}, ptr %{{.*}} release
; CHECK: ret double
define double @load_and_store(ptr addrspace(100) %p) {
  %v = load atomic double, ptr addrspace(100) %p acquire, align 8
  store atomic double %v, ptr addrspace(100) %p release, align 8
  ret double %v
}
; The runtime does operations on 16 bytes in any case.
; CHECK-LABEL: define i128 @wide(
; CHECK-NOT: = atomicrmw
; CHECK-NOT: = cmpxchg
; CHECK: call void @__skein_shared_atomic16(
; CHECK: ret i128
define i128 @wide(ptr addrspace(100) %p) {
  %o = atomicrmw add ptr addrspace(100) %p, i128 1 seq_cst, align 16
  ret i128 %o
}
; A volatile read is not answered from a copy.
; CHECK-LABEL: define i32 @watched(
; CHECK: load volatile i32, ptr %
; CHECK: call i64 @__skein_shared_atomic(i64 %{{.*}}, i64 0, i64 0, i64 1024)
; CHECK: ret i32
define i32 @watched(ptr addrspace(100) %p) {
  %v = load volatile i32, ptr addrspace(100) %p, align 4
  ret i32 %v
}
