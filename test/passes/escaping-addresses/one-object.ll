; The difference of two pointers into one object is the same after a move, also where the optimiser has made it of their low
; halves. That they lead into one object is seen where both are computed from one pointer.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @from_one(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @from_one(ptr %p, ptr %to) {
entry:
  %end = getelementptr inbounds i8, ptr %p, i64 258
  br label %loop
loop:
  %scan = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = getelementptr inbounds i8, ptr %scan, i64 1
  %v = load i8, ptr %next
  %on = icmp eq i8 %v, 7
  br i1 %on, label %loop, label %out
out:
  %a = ptrtoint ptr %end to i64
  %b = ptrtoint ptr %next to i64
  %x = trunc i64 %a to i32
  %y = trunc i64 %b to i32
  %rest = sub i32 %x, %y
  %length = sub i32 258, %rest
  store i32 %length, ptr %to
  ret void
}

; CHECK-LABEL: define void @from_two(
; CHECK: __skein_address_escapes
; CHECK: ret void
define void @from_two(ptr %p, ptr %q, ptr %to) {
  %end = getelementptr inbounds i8, ptr %p, i64 258
  %a = ptrtoint ptr %end to i64
  %b = ptrtoint ptr %q to i64
  %x = trunc i64 %a to i32
  %y = trunc i64 %b to i32
  %rest = sub i32 %x, %y
  store i32 %rest, ptr %to
  ret void
}

; A number of any size may have been added: here that is told of the pointer, and of the difference as well.
; CHECK-LABEL: define void @far(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret void
define void @far(ptr %p, i64 %n, ptr %to) {
  %end = getelementptr i8, ptr %p, i64 %n
  %a = ptrtoint ptr %end to i64
  %b = ptrtoint ptr %p to i64
  %x = trunc i64 %a to i32
  %y = trunc i64 %b to i32
  %rest = sub i32 %x, %y
  store i32 %rest, ptr %to
  ret void
}

; Small steps that need not stay in the object lead far away, if a loop makes many of them.
; CHECK-LABEL: define void @many_steps(
; CHECK: __skein_address_escapes
; CHECK: ret void
define void @many_steps(ptr %p, ptr %to) {
entry:
  br label %loop
loop:
  %scan = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = getelementptr i8, ptr %scan, i64 1
  %v = load i8, ptr %next
  %on = icmp eq i8 %v, 7
  br i1 %on, label %loop, label %out
out:
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %next to i64
  %x = trunc i64 %a to i32
  %y = trunc i64 %b to i32
  %rest = sub i32 %x, %y
  store i32 %rest, ptr %to
  ret void
}

; The pointer of the last iteration leads into another object than that of this one.
; CHECK-LABEL: define void @one_in_each_iteration(
; CHECK: __skein_address_escapes
; CHECK: ret void
define void @one_in_each_iteration(ptr %list, ptr %to) {
entry:
  %first = load ptr, ptr %list
  br label %loop
loop:
  %last = phi ptr [ null, %entry ], [ %p, %loop ]
  %at = phi ptr [ %list, %entry ], [ %p, %loop ]
  %p = load ptr, ptr %at
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %last to i64
  %x = trunc i64 %a to i32
  %y = trunc i64 %b to i32
  %rest = sub i32 %x, %y
  store i32 %rest, ptr %to
  %on = icmp ne ptr %p, null
  br i1 %on, label %loop, label %out
out:
  ret void
}
