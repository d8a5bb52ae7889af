; There are no polls if something else bounds the loop: numbers that run out, or brief callees. There are polls if that
; only seems so.
; RUN: %opt -skein-polls=loops -passes=source-facts,loop-polls,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The place in a heap is halved until it is 1, with one call in each iteration.
; CHECK-LABEL: define void @halved(
; CHECK-NOT: __skein_poll
; CHECK: ret void
define void @halved(ptr %p, i32 %from) {
entry:
  %any = icmp ugt i32 %from, 1
  br i1 %any, label %loop, label %out
loop:
  %i = phi i32 [ %from, %entry ], [ %half, %next ]
  %key = load i32, ptr %p
  %above = icmp sgt i32 %key, %i
  br i1 %above, label %next, label %out
next:
  %half = lshr i32 %i, 1
  call void @brief(ptr %p)
  %more = icmp ugt i32 %i, 3
  br i1 %more, label %loop, label %out
out:
  ret void
}

; The number is doubled up to an unknown bound. After 31 iterations it overflows, which is not allowed to happen.
; CHECK-LABEL: define void @doubled(
; CHECK-NOT: __skein_poll
; CHECK: ret void
define void @doubled(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %merged, %next ]
  %twice = shl nsw i32 %i, 1
  %more = icmp slt i32 %twice, %n
  br i1 %more, label %inside, label %out
inside:
  %key = load i32, ptr %p
  %right = icmp sgt i32 %key, %i
  br i1 %right, label %other, label %next
other:
  %odd = or disjoint i32 %twice, 1
  br label %next
next:
  %merged = phi i32 [ %twice, %inside ], [ %odd, %other ]
  call void @brief(ptr %p)
  br label %loop
out:
  ret void
}

; Zero doubled stays zero, for ever.
; CHECK-LABEL: define void @doubled_nothing(
; CHECK: __skein_poll_flag
; CHECK: ret void
define void @doubled_nothing(ptr %p, i32 %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %from, %entry ], [ %twice, %loop ]
  call void @brief(ptr %p)
  %twice = shl nsw i32 %i, 1
  %more = icmp slt i32 %twice, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; The number may wrap.
; CHECK-LABEL: define void @doubled_around(
; CHECK: __skein_poll_flag
; CHECK: ret void
define void @doubled_around(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 3, %entry ], [ %twice, %loop ]
  call void @brief(ptr %p)
  %twice = mul i32 %i, 3
  %more = icmp ult i32 %twice, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; The number overflows to poison, but nothing depends on it.
; CHECK-LABEL: define void @doubled_unwatched(
; CHECK: __skein_poll_flag
; CHECK: ret void
define void @doubled_unwatched(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %twice, %loop ]
  call void @brief(ptr %p)
  %twice = shl nsw i32 %i, 1
  %key = load i32, ptr %p
  %more = icmp eq i32 %key, 0
  br i1 %more, label %loop, label %out
out:
  ret void
}

; A walk with a brief call, one with a call that may take long, and one with a recursion.
; CHECK-LABEL: define void @walk_brief(
; CHECK-NOT: __skein_poll
; CHECK: ret void
define void @walk_brief(ptr %from) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %from, %entry ], [ %next, %loop ]
  call void @brief(ptr %p)
  %c = load i8, ptr %p
  %next = getelementptr inbounds i8, ptr %p, i64 1
  %more = icmp ne i8 %c, 0
  br i1 %more, label %loop, label %out
out:
  ret void
}
; CHECK-LABEL: define void @walk_unknown(
; CHECK: __skein_poll_flag
; CHECK: ret void
define void @walk_unknown(ptr %from) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %from, %entry ], [ %next, %loop ]
  call void @unknown(ptr %p)
  %c = load i8, ptr %p
  %next = getelementptr inbounds i8, ptr %p, i64 1
  %more = icmp ne i8 %c, 0
  br i1 %more, label %loop, label %out
out:
  ret void
}
; CHECK-LABEL: define void @walk_recursive(
; CHECK: __skein_poll_flag
; CHECK: ret void
define void @walk_recursive(ptr %from) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %from, %entry ], [ %next, %loop ]
  call void @recursive(ptr %p)
  %c = load i8, ptr %p
  %next = getelementptr inbounds i8, ptr %p, i64 1
  %more = icmp ne i8 %c, 0
  br i1 %more, label %loop, label %out
out:
  ret void
}

; A hundred times a hundred iterations are too many for a loop without a poll.
; CHECK-LABEL: define void @too_much(
; CHECK: __skein_poll_flag
; CHECK: ret void
define void @too_much(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @hundred(ptr %p)
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 100
  br i1 %more, label %loop, label %out
out:
  ret void
}

; A loop that counts gets two versions: for less than a strip as it was, for more in strips.
; CHECK-LABEL: define i64 @versions(
; CHECK: %[[SHORT:.*]] = icmp ule i64 %{{.*}}, 1024
; CHECK: br i1 %[[SHORT]], label %{{.*}}, label %[[LONG:.*]]
; CHECK: __skein_poll_flag
; CHECK-NOT: __skein_poll_flag
; CHECK: ret i64
define i64 @versions(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i8, ptr %p, i64 %i
  %c = load i64, ptr %at
  %more = xor i64 %sum, %c
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  %result = phi i64 [ %more, %loop ]
  ret i64 %result
}

; One strip may be the whole loop: of the 64 iterations that a loop with unknown calls may make.
; CHECK-LABEL: define void @eleven(
; CHECK-NOT: __skein_poll_flag
; CHECK: ret void
define void @eleven(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @unknown(ptr %p)
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 11
  br i1 %more, label %loop, label %out
out:
  ret void
}

define internal void @brief(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}
define internal void @hundred(ptr %p) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %p
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 100
  br i1 %more, label %loop, label %out
out:
  ret void
}
define internal void @recursive(ptr %p) noinline {
  %n = load i32, ptr %p
  %again = icmp eq i32 %n, 7
  br i1 %again, label %deeper, label %out
deeper:
  call void @recursive(ptr %p)
  br label %out
out:
  ret void
}
declare void @unknown(ptr)
