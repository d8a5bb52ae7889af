; A word from which a number is made, or a pointer that may lead far away, is told where it first matters, and not in the
; loop that looks at it.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f()

; CHECK-LABEL: define i64 @differ(
; CHECK: loop:
; CHECK: %a = load i64
; CHECK-NEXT: %b = load i64
; CHECK-NEXT: %same = icmp eq i64 %a, %b
; CHECK: differ:
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: %x = xor i64 %a, %b
define i64 @differ(ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %loop ]
  %i = getelementptr inbounds i64, ptr %p, i64 %n
  %j = getelementptr inbounds i64, ptr %q, i64 %n
  %a = load i64, ptr %i
  %b = load i64, ptr %j
  %same = icmp eq i64 %a, %b
  %next = add nuw i64 %n, 1
  br i1 %same, label %loop, label %differ
differ:
  %x = xor i64 %a, %b
  %h = lshr i64 %x, 3
  ret i64 %h
}

; In a call the thread may move, and then the word is not what it was.
; CHECK-LABEL: define i64 @behind_a_call(
; CHECK: %a = load i64
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: call void @f()
; CHECK: differ:
; CHECK-NOT: __skein_address_escapes
define i64 @behind_a_call(ptr %p, i64 %b) {
  %a = load i64, ptr %p
  call void @f()
  %same = icmp eq i64 %a, %b
  br i1 %same, label %equal, label %differ
equal:
  ret i64 0
differ:
  %h = lshr i64 %a, 3
  ret i64 %h
}

; CHECK-LABEL: define i64 @behind_a_call_on_the_way(
; CHECK: way:
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: call void @f()
; CHECK: differ:
; CHECK-NOT: __skein_address_escapes
define i64 @behind_a_call_on_the_way(ptr %p, i64 %b, i1 %c) {
  %a = load i64, ptr %p
  %same = icmp eq i64 %a, %b
  br i1 %same, label %equal, label %way
equal:
  ret i64 0
way:
  call void @f()
  br i1 %c, label %equal, label %differ
differ:
  %h = lshr i64 %a, 3
  ret i64 %h
}

; A comparison that is kept is more than a decision, and another block may come into the second one.
; CHECK-LABEL: define i64 @comparison_is_kept(
; CHECK: %a = load i64
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: differ:
; CHECK-NOT: __skein_address_escapes
define i64 @comparison_is_kept(ptr %p, i64 %b, ptr %to) {
  %a = load i64, ptr %p
  %same = icmp eq i64 %a, %b
  store i1 %same, ptr %to
  br i1 %same, label %equal, label %differ
equal:
  ret i64 0
differ:
  %h = lshr i64 %a, 3
  ret i64 %h
}

; CHECK-LABEL: define ptr @far(
; CHECK: loop:
; CHECK-NOT: __skein_address_escapes
; CHECK: found:
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %base,
; CHECK: store ptr %e, ptr %to
define ptr @far(ptr %base, ptr %to) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 100, %entry ], [ %next, %loop ]
  %e = getelementptr i8, ptr %base, i64 %n
  %second = getelementptr inbounds i8, ptr %e, i64 1
  %v = load i8, ptr %second
  %is = icmp eq i8 %v, 7
  %next = add nuw i64 %n, 1
  br i1 %is, label %found, label %loop
found:
  store ptr %e, ptr %to
  call void @f()
  ret ptr %e
}

; What is followed behind a call, and not found, was to be told before it.
; CHECK-LABEL: define ptr @far_and_followed_later(
; CHECK: %e = getelementptr i8, ptr %base
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %base,
; CHECK: other:
; CHECK-NOT: __skein_address_escapes
; CHECK: ret ptr null
define ptr @far_and_followed_later(ptr %base, i64 %n, ptr %to) {
  %e = getelementptr i8, ptr %base, i64 %n
  %v = load i8, ptr %e
  %is = icmp eq i8 %v, 7
  br i1 %is, label %found, label %other
other:
  call void @f()
  store i8 1, ptr %e
  ret ptr null
found:
  store ptr %e, ptr %to
  call void @f()
  ret ptr %e
}

; What is merged on the way is only followed, and dead before the next call. The pointer itself is kept if it is the
; better one, and only then is it told.
; CHECK-LABEL: define ptr @better(
; CHECK: %e = getelementptr i8, ptr %base
; CHECK-NOT: __skein_address_escapes
; CHECK: %longer = icmp ugt i64 %n, 9
; CHECK-NEXT: [[IF:%.*]] = freeze i1 %longer
; CHECK-NEXT: br i1 [[IF]], label %[[CHOSEN:.*]], label %[[REST:.*]], !prof
; CHECK: [[CHOSEN]]:
; CHECK: icmp ugt i64 {{%.*}}, 16384
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %base,
; CHECK: [[REST]]:
; CHECK-NEXT: %best = select i1 %longer, ptr %e, ptr %old
define ptr @better(ptr %base, i64 %at, ptr %old) {
entry:
  %e = getelementptr i8, ptr %base, i64 %at
  br label %loop
loop:
  %q = phi ptr [ %e, %entry ], [ %q2, %loop ]
  %n = phi i64 [ 0, %entry ], [ %n2, %loop ]
  %v = load i8, ptr %q
  %q2 = getelementptr inbounds i8, ptr %q, i64 1
  %n2 = add nuw i64 %n, 1
  %is = icmp eq i8 %v, 7
  br i1 %is, label %loop, label %behind
behind:
  %longer = icmp ugt i64 %n, 9
  %best = select i1 %longer, ptr %e, ptr %old
  call void @f()
  ret ptr %best
}

; Here the other one is better.
; CHECK-LABEL: define ptr @unless_better(
; CHECK: [[IF:%.*]] = freeze i1 %longer
; CHECK-NEXT: [[NOT:%.*]] = xor i1 [[IF]], true
; CHECK-NEXT: br i1 [[NOT]],
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %base,
; CHECK: %best = select i1 %longer, ptr %old, ptr %e
define ptr @unless_better(ptr %base, i64 %at, ptr %old) {
entry:
  %e = getelementptr i8, ptr %base, i64 %at
  %v = load i8, ptr %e
  %is = icmp eq i8 %v, 7
  br i1 %is, label %behind, label %other
other:
  ret ptr null
behind:
  %longer = icmp ugt i64 %at, 9
  %best = select i1 %longer, ptr %old, ptr %e
  call void @f()
  ret ptr %best
}

; Followed behind the call, too, it lives there, chosen or not.
; CHECK-LABEL: define ptr @better_and_followed(
; CHECK: behind:
; CHECK-NOT: br i1 {{.*}}!prof
; CHECK: icmp ugt i64 {{%.*}}, 16384
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %base,
; CHECK: %best = select i1 %longer, ptr %e, ptr %old
define ptr @better_and_followed(ptr %base, i64 %at, ptr %old) {
entry:
  %e = getelementptr i8, ptr %base, i64 %at
  %v = load i8, ptr %e
  %is = icmp eq i8 %v, 7
  br i1 %is, label %behind, label %other
other:
  ret ptr null
behind:
  %longer = icmp ugt i64 %at, 9
  %best = select i1 %longer, ptr %e, ptr %old
  call void @f()
  store i8 1, ptr %e
  ret ptr %best
}

; A merge that is alive at a call is kept there, whatever becomes of the pointer.
; CHECK-LABEL: define ptr @merge_is_kept(
; CHECK: %e = getelementptr i8, ptr %base
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %base,
; CHECK: loop:
; CHECK-NOT: __skein_address_escapes
; CHECK: ret ptr
define ptr @merge_is_kept(ptr %base, i64 %at, ptr %old) {
entry:
  %e = getelementptr i8, ptr %base, i64 %at
  br label %loop
loop:
  %q = phi ptr [ %e, %entry ], [ %q2, %loop ]
  %v = load i8, ptr %q
  %q2 = getelementptr inbounds i8, ptr %q, i64 1
  %is = icmp eq i8 %v, 7
  br i1 %is, label %loop, label %behind
behind:
  %best = select i1 %is, ptr %e, ptr %old
  call void @f()
  store i8 1, ptr %q
  ret ptr %best
}

; CHECK-LABEL: define ptr @call_on_one_way(
; CHECK: %e = getelementptr i8, ptr %base
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %base,
; CHECK: one:
; CHECK-NOT: __skein_address_escapes
; CHECK: ret ptr %e
define ptr @call_on_one_way(ptr %base, i64 %at, i1 %c) {
entry:
  %e = getelementptr i8, ptr %base, i64 %at
  br i1 %c, label %one, label %other
one:
  call void @f()
  br label %behind
other:
  store i8 1, ptr %e
  br label %behind
behind:
  ret ptr %e
}

; A place in a loop would be reached again and again.
; CHECK-LABEL: define void @place_in_a_loop(
; CHECK: %e = getelementptr i8, ptr %base
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %base,
; CHECK: loop:
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @place_in_a_loop(ptr %base, i64 %at, ptr %to) {
entry:
  %e = getelementptr i8, ptr %base, i64 %at
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %n2, %loop ]
  %i = getelementptr inbounds ptr, ptr %to, i64 %n
  store ptr %e, ptr %i
  %n2 = add nuw i64 %n, 1
  %more = icmp ult i64 %n2, 9
  br i1 %more, label %loop, label %behind
behind:
  ret void
}
