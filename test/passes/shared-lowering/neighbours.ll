; Fields of one object travel together: loads even with gaps between them, stores only without.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%node = type { i32, i32, double, ptr addrspace(100) }
; CHECK-LABEL: define double @loads(
; CHECK: shared.far:
; CHECK-NEXT: ptrtoint
; CHECK-NEXT: call void @__skein_shared_get(ptr %shared.copy, i64 %{{.*}}, i64 16)
; CHECK-NOT: __skein_shared_get
; CHECK: ret double
define double @loads(ptr addrspace(100) %n) {
  %a = load i32, ptr addrspace(100) %n
  %p = getelementptr inbounds %node, ptr addrspace(100) %n, i32 0, i32 2
  %b = load double, ptr addrspace(100) %p
  %c = sitofp i32 %a to double
  %d = fadd double %b, %c
  ret double %d
}
; CHECK-LABEL: define void @stores(
; CHECK: shared.far:
; CHECK: store double
; CHECK: store i32 1, ptr
; CHECK: store i32 2, ptr
; CHECK: call void @__skein_shared_put(i64 %{{.*}}, ptr %{{.*}}, i64 16)
; CHECK-NOT: __skein_shared_put
; CHECK: ret void
define void @stores(ptr addrspace(100) %n, double %x) {
  %p = getelementptr inbounds %node, ptr addrspace(100) %n, i32 0, i32 2
  store double %x, ptr addrspace(100) %p
  store i32 1, ptr addrspace(100) %n
  %q = getelementptr inbounds %node, ptr addrspace(100) %n, i32 0, i32 1
  store i32 2, ptr addrspace(100) %q
  ret void
}
; Bytes of other threads are never written.
; CHECK-LABEL: define void @gap(
; CHECK: shared.far:
; CHECK: call void @__skein_shared_put(i64 %{{.*}}, ptr %{{.*}}, i64 4)
; CHECK: call void @__skein_shared_put(i64 %{{.*}}, ptr %{{.*}}, i64 8)
; CHECK: ret void
define void @gap(ptr addrspace(100) %n, double %x) {
  store i32 1, ptr addrspace(100) %n
  %p = getelementptr inbounds %node, ptr addrspace(100) %n, i32 0, i32 2
  store double %x, ptr addrspace(100) %p
  ret void
}
; A store lies between that may be to the second field.
; CHECK-LABEL: define i32 @between(
; CHECK: shared.far:
; CHECK: call void @__skein_shared_get(ptr %{{.*}}, i64 %{{.*}}, i64 4)
; CHECK: call void @__skein_shared_put(
; CHECK: call void @__skein_shared_get(ptr %{{.*}}, i64 %{{.*}}, i64 4)
; CHECK: ret i32
define i32 @between(ptr addrspace(100) %n, ptr addrspace(100) %m) {
  %a = load i32, ptr addrspace(100) %n
  store i32 5, ptr addrspace(100) %m
  %q = getelementptr inbounds %node, ptr addrspace(100) %n, i32 0, i32 1
  %b = load i32, ptr addrspace(100) %q
  %c = add i32 %a, %b
  ret i32 %c
}
; A function that need not return has the same effect.
; CHECK-LABEL: define void @exits(
; CHECK: shared.far
; CHECK: call void @__skein_shared_put(
; CHECK: call void @puts(
; CHECK: call void @__skein_shared_put(
; CHECK: ret void
declare void @puts(ptr)
define void @exits(ptr addrspace(100) %n) {
  store i32 5, ptr addrspace(100) %n
  call void @puts(ptr null)
  %q = getelementptr inbounds %node, ptr addrspace(100) %n, i32 0, i32 1
  store i32 6, ptr addrspace(100) %q
  ret void
}
