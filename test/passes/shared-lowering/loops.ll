; If its anchors are known before a loop, there is one check before it, and its accesses are those of plain memory.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @anything()

; CHECK-LABEL: define void @scale(
; CHECK: entry:
; CHECK: @__skein_slice_mapped
; CHECK: br i1 %{{.*}}, label %[[NEAR:.*]], label %shared.ask, !prof
; CHECK: shared.ask:
; CHECK: call i32 @__skein_slice_reach(i64 %{{.*}})
; CHECK: br i1 %{{.*}}, label %[[NEAR]], label %[[FAR:.*]]
; CHECK: loop.far:
; CHECK: call void @__skein_shared_get(
; CHECK: call void @__skein_shared_put(
; CHECK: [[NEAR]]:
; CHECK-NEXT: addrspacecast ptr addrspace(100) %p to ptr
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NEXT: %i = phi
; CHECK-NEXT: getelementptr inbounds double, ptr %
; CHECK-NEXT: load double, ptr %
; CHECK-NEXT: fmul
; CHECK-NEXT: store double %{{.*}}, ptr %
; CHECK-NEXT: add
; CHECK-NEXT: icmp
; CHECK-NEXT: br i1
define void @scale(ptr addrspace(100) %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %a = getelementptr inbounds double, ptr addrspace(100) %p, i64 %i
  %x = load double, ptr addrspace(100) %a
  %y = fmul double %x, 3.0
  store double %y, ptr addrspace(100) %a
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}

; An induction variable becomes plain, and code that wants the shared pointer afterwards gets it back.
; CHECK-LABEL: define ptr addrspace(100) @find(
; CHECK: {{^}}loop:
; CHECK-NEXT: %[[Q:.*]] = phi ptr [
; CHECK: load i8, ptr %[[Q]]
; CHECK: getelementptr inbounds i8, ptr %[[Q]], i64 1
; CHECK: ret ptr addrspace(100)
define ptr addrspace(100) @find(ptr addrspace(100) %p) {
entry:
  br label %loop
loop:
  %q = phi ptr addrspace(100) [ %p, %entry ], [ %r, %loop ]
  %x = load i8, ptr addrspace(100) %q
  %r = getelementptr inbounds i8, ptr addrspace(100) %q, i64 1
  %c = icmp eq i8 %x, 0
  br i1 %c, label %out, label %loop
out:
  ret ptr addrspace(100) %q
}

; The whole nest gets one check.
; CHECK-LABEL: define void @nest(
; CHECK-COUNT-1: call i32 @__skein_slice_reach
; CHECK-NOT: @__skein_slice_reach
; CHECK: ret void
define void @nest(ptr addrspace(100) %p, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i2, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j2, %inner ]
  %k = add i64 %i, %j
  %a = getelementptr inbounds double, ptr addrspace(100) %p, i64 %k
  store double 0.0, ptr addrspace(100) %a
  %j2 = add i64 %j, 1
  %c = icmp eq i64 %j2, %n
  br i1 %c, label %latch, label %inner
latch:
  %i2 = add i64 %i, 1
  %d = icmp eq i64 %i2, %n
  br i1 %d, label %out, label %outer
out:
  ret void
}

; With a call that may migrate the checks stay where the accesses are.
; CHECK-LABEL: define void @moves(
; CHECK-NOT: @__skein_slice_reach
; CHECK: ret void
define void @moves(ptr addrspace(100) %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %a = getelementptr inbounds double, ptr addrspace(100) %p, i64 %i
  store double 0.0, ptr addrspace(100) %a
  call void @anything()
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}

; The same goes for a chain, each of whose pointers is read in the loop.
; CHECK-LABEL: define void @chain(
; CHECK-NOT: @__skein_slice_reach
; CHECK: ret void
define void @chain(ptr addrspace(100) %p) {
entry:
  br label %loop
loop:
  %q = phi ptr addrspace(100) [ %p, %entry ], [ %r, %loop ]
  %r = load ptr addrspace(100), ptr addrspace(100) %q
  %c = icmp eq ptr addrspace(100) %r, null
  br i1 %c, label %out, label %loop
out:
  ret void
}
