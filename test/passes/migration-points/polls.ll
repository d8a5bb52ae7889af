; A poll on each back edge: a load and an unlikely branch.
; RUN: %opt -skein-poll=loops -passes=migration-points,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: load volatile i8, ptr @__skein_poll_flag
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: call void @__skein_poll()
; CHECK: ret void
define void @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}
