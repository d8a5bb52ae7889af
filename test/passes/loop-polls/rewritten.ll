; A walk in part around a loop that is unrolled: the edges of which the walk's other paths consist begin in the inner
; loop, and unrolling rewrites them. They were noted, and split afterwards, which crashed (on sqlite3.c).
; RUN: %opt -skein-polls=loops -passes=source-facts,loop-polls,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The inner loop has a poll on its way back, and one on each of the two ways out, which its copies share.
; CHECK-LABEL: define ptr @walk(
; CHECK: {{^}}ahead:
; CHECK-NOT: __skein_poll
; CHECK: {{^}}inner:
; CHECK: {{^}}inner.other_crit_edge:
; CHECK: call preserve_mostcc void @__skein_poll_kept()
; CHECK: {{^}}tail:
; CHECK-NOT: __skein_poll
; CHECK: {{^}}tail.7:
; CHECK: br i1 %{{.*}}, label %[[OUT:.*]], label %[[BACK:.*]]
; CHECK: {{^}}[[BACK]]:
; CHECK: call preserve_mostcc void @__skein_poll_kept()
; CHECK: {{^}}[[OUT]]:
; CHECK: call preserve_mostcc void @__skein_poll_kept()
; CHECK-NOT: call preserve_mostcc
; CHECK: ret ptr
define ptr @walk(ptr %p, i32 %n) {
entry:
  br label %walk
walk:
  %at = phi ptr [ %p, %entry ], [ %after, %other ], [ %next, %ahead ]
  %next = getelementptr inbounds i8, ptr %at, i64 1
  %c = load i8, ptr %at
  switch i8 %c, label %ahead [ i8 0, label %out
                               i8 1, label %inner ]
ahead:
  br label %walk
inner:
  %q = phi ptr [ %at, %walk ], [ %to, %tail ]
  %to = load ptr, ptr %q
  %found = icmp eq ptr %to, null
  br i1 %found, label %other, label %tail
tail:
  %last = icmp eq ptr %to, %p
  br i1 %last, label %other, label %inner
other:
  %after = phi ptr [ %to, %inner ], [ %q, %tail ]
  br label %walk
out:
  ret ptr %at
}
