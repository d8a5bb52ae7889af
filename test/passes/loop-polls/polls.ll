; Polls: a load and an unlikely branch at back edges, none in short loops and beside skein_yield, none in hot counted loops,
; which are strip-mined instead.
; RUN: %opt -skein-polls=loops -passes=source-facts,loop-polls,verify -S %s | FileCheck %s
; RUN: %opt -passes=source-facts,loop-polls,verify -S %s | FileCheck --check-prefix=PLAIN %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; PLAIN-NOT: __skein_poll
; CHECK: @__skein_poll_flag = external dso_local thread_local(localexec) global i8
; CHECK: @__skein_polls_compiled = weak constant i8 1

; The poll is on the way back, after the branch; small loops are unrolled first.
; CHECK-LABEL: define void @list(
; CHECK: %done.6 = icmp eq
; CHECK-NEXT: br i1 %done.6, label %out, label %[[LAST:.*]]
; CHECK: [[LAST]]:
; CHECK-NOT: __skein_poll
; CHECK: br i1 %done.7, label %out, label %[[POLL:.*]]
; CHECK: [[POLL]]:
; CHECK-NEXT: %[[FLAG:.*]] = call ptr @llvm.threadlocal.address.p0(ptr @__skein_poll_flag)
; CHECK-NEXT: %[[VALUE:.*]] = load volatile i8, ptr %[[FLAG]]
; CHECK-NEXT: %[[SET:.*]] = icmp ne i8 %[[VALUE]], 0
; CHECK-NEXT: br i1 %[[SET]], label %[[COLD:.*]], label %{{.*}}, !prof
; CHECK: [[COLD]]:
; CHECK-NEXT: call preserve_mostcc void @__skein_poll_kept()
define void @list(ptr %p) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %at
  %done = icmp eq ptr %next, null
  br i1 %done, label %out, label %loop
out:
  ret void
}

; CHECK-LABEL: define i64 @counted(
; CHECK: %[[LENGTH:.*]] = sub i64 %n, 0
; CHECK-NEXT: %[[SHORT:.*]] = icmp ule i64 %[[LENGTH]], 3072
; CHECK-NEXT: br i1 %[[SHORT]], label %[[ASITWAS:.*]], label %[[LONG:.*]]
; CHECK: loop.long.strip:
; CHECK-NEXT: %i.long.strip = phi i64 [ 0, %[[LONG]] ], [ %next.long, %{{.*}} ]
; CHECK-NEXT: %[[FIRST:.*]] = add i64 %i.long.strip, 3
; CHECK-NEXT: %[[DISTANCE:.*]] = sub i64 %n, %[[FIRST]]
; CHECK-NEXT: %[[FURTHER:.*]] = icmp ugt i64 %[[DISTANCE]], 3072
; CHECK-NEXT: %[[BEFORE:.*]] = icmp ult i64 %[[FIRST]], %n
; CHECK-NEXT: and i1 %[[FURTHER]], %[[BEFORE]]
; CHECK-NEXT: %[[END:.*]] = add i64 %[[FIRST]], 3072
; CHECK-NEXT: %strip.limit = select i1 %{{.*}}, i64 %[[END]], i64 %n
; CHECK-NEXT: br label %loop.long
; CHECK: loop.long:
; CHECK-NEXT: phi i64 [ %i.long.strip, %loop.long.strip ], [ %next.long, %loop.long ]
; CHECK-NEXT: %next.long = add nuw i64
; CHECK-NEXT: icmp ult i64 %next.long, %strip.limit
; CHECK: [[ASITWAS]]:
; CHECK: loop:
; CHECK-NEXT: phi i64 [ 0, %[[ASITWAS]] ], [ %next, %loop ]
; CHECK: icmp ult i64 %next, %n
; CHECK: loop.long.strip.done:
; CHECK-NEXT: icmp ult i64 %next.long, %n
; CHECK: loop.long.strip.again:
; CHECK: call preserve_mostcc void @__skein_poll_kept()
; CHECK: br label %loop.long.strip
define i64 @counted(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw i64 %i, 3
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  %result = phi i64 [ %next, %loop ]
  ret i64 %result
}

; Steps of three may miss the bound, so this loop does not count.
; CHECK-LABEL: define i64 @may_miss(
; CHECK-NOT: .strip
; CHECK: __skein_poll_flag
; CHECK: ret i64
define i64 @may_miss(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 3
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret i64 %i
}

; The loop counts downwards, and compares before the step: the limit must not jump over the bound.
; CHECK-LABEL: define void @down(
; CHECK: loop.long.strip:
; CHECK: sub i32 %i.long.strip, %n
; CHECK-NEXT: %[[FAR:.*]] = icmp ugt i32 %{{.*}}, 1024
; CHECK-NEXT: %[[BEFORE:.*]] = icmp sgt i32 %i.long.strip, %n
; CHECK-NEXT: and i1 %[[FAR]], %[[BEFORE]]
; CHECK-NEXT: add i32 %i.long.strip, -1024
define void @down(i32 %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %from, %entry ], [ %next, %loop ]
  %next = add i32 %i, -1
  %more = icmp sgt i32 %i, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; CHECK-LABEL: define void @short(
; CHECK-NOT: __skein_poll
; CHECK: ret void
define void @short() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 1000
  br i1 %done, label %out, label %loop
out:
  ret void
}

; CHECK-LABEL: define void @yields(
; CHECK-NOT: __skein_poll
; CHECK: ret void
define void @yields(i1 %more) {
entry:
  br label %loop
loop:
  call void @skein_yield()
  br i1 %more, label %loop, label %out
out:
  ret void
}

; A call that may migrate need not do so.
; CHECK-LABEL: define void @calls(
; CHECK: call preserve_mostcc void @__skein_poll_kept()
; CHECK: ret void
define void @calls(i1 %more) {
entry:
  br label %loop
loop:
  call void @other()
  br i1 %more, label %loop, label %out
out:
  ret void
}

; A walk ends where the object does.
; CHECK-LABEL: define i64 @walk(
; CHECK-NOT: __skein_poll
; CHECK: ret i64
define i64 @walk(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i8, ptr %p, i64 %i
  %c = load i8, ptr %at
  %next = add i64 %i, 1
  %done = icmp eq i8 %c, 0
  br i1 %done, label %out, label %loop
out:
  ret i64 %i
}

; An interpreter: the pointer moves ahead on one path, and jumps on the other, which polls.
; CHECK-LABEL: define void @walks_partly(
; CHECK: ahead:
; CHECK-NOT: __skein_poll_flag
; CHECK: jump:
; CHECK: __skein_poll_flag
; CHECK: ret void
define void @walks_partly(ptr %code) {
entry:
  br label %loop
loop:
  %pc = phi ptr [ %code, %entry ], [ %merged, %latch ]
  %op = load i64, ptr %pc
  switch i64 %op, label %out [ i64 0, label %ahead
                               i64 1, label %jump ]
ahead:
  %a = getelementptr inbounds i8, ptr %pc, i64 8
  br label %latch
jump:
  %j = getelementptr inbounds i8, ptr %code, i64 %op
  br label %latch
latch:
  %merged = phi ptr [ %a, %ahead ], [ %j, %jump ]
  br label %loop
out:
  ret void
}

; With two entries this is no loop to LLVM, but a cycle.
; CHECK-LABEL: define void @irreducible(
; CHECK: call preserve_mostcc void @__skein_poll_kept()
; CHECK: ret void
define void @irreducible(i1 %a, i1 %b) {
entry:
  br i1 %a, label %one, label %two
one:
  br label %two
two:
  br i1 %b, label %one, label %out
out:
  ret void
}
declare void @skein_yield()
declare void @other()

; CHECK: define internal preserve_mostcc void @__skein_poll_kept() #[[KEPT:[0-9]+]] {
; CHECK-NEXT: notail call void @__skein_poll()
; CHECK-NEXT: ret void
