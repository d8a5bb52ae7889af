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
