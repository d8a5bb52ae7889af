; A loop over shared memory runs in strips. What is known of the process is asked again for each strip, after the poll,
; and the inner loop is that of plain memory.
; RUN: %opt -passes="loop-polls,function(shared-lowering),verify" -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @scale(
; CHECK: {{^}}loop.strip:
; CHECK: %strip.limit = select
; CHECK: @__skein_slice_mapped
; CHECK: call i32 @__skein_slice_reach(
; CHECK: {{^}}loop:
; CHECK-NOT: @__skein_
; CHECK: load double, ptr %
; CHECK-NOT: @__skein_
; CHECK: store double %{{.*}}, ptr %
; CHECK-NOT: @__skein_
; CHECK: label %loop
; CHECK: call preserve_mostcc void @__skein_poll_kept()
; CHECK: br label %loop.strip
define void @scale(ptr addrspace(100) %p, i64 %n) "skein-polls"="loops" {
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

; With a poll in the loop itself, each iteration asks again.
; CHECK-LABEL: define void @until(
; CHECK-NOT: @__skein_slice_reach
; CHECK: call preserve_mostcc void @__skein_poll_kept()
; CHECK: ret void
define void @until(ptr addrspace(100) %p) "skein-polls"="loops" {
entry:
  br label %loop
loop:
  %x = load volatile i32, ptr addrspace(100) %p
  %c = icmp eq i32 %x, 0
  br i1 %c, label %loop, label %out
out:
  ret void
}
