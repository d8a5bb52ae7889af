; A constant offset from a pointer that crosses the call, too, needs no home of its own; nor does one that is only the
; address of loads, where it is free. It stays where sinking would put an addition into a loop.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @address(
; CHECK: %p.home = alloca ptr
; CHECK-NOT: alloca
; CHECK: call void @g()
; CHECK: %[[P:p.reload.*]] = load ptr, ptr %p.home
; CHECK-NEXT: getelementptr inbounds i8, ptr %[[P]], i64 8
define i64 @address(ptr %p) {
  %field = getelementptr inbounds i8, ptr %p, i64 8
  store i64 1, ptr %field
  call void @g()
  %v = load i64, ptr %field
  ret i64 %v
}

; CHECK-LABEL: define ptr @both(
; CHECK: %p.home = alloca ptr
; CHECK-NOT: alloca
; CHECK: ret ptr
define ptr @both(ptr %p) {
  %next = getelementptr inbounds i8, ptr %p, i64 8
  store i64 1, ptr %next
  call void @g()
  store i64 1, ptr %p
  ret ptr %next
}

; CHECK-LABEL: define void @compared_in_a_loop(
; CHECK: %end.home = alloca ptr
; CHECK: loop:
; CHECK-NOT: getelementptr i8, ptr %p{{.*}}, i64 800
; CHECK: ret void
define void @compared_in_a_loop(ptr %p) {
  %end = getelementptr i8, ptr %p, i64 800
  call void @g()
  br label %loop
loop:
  %at = phi ptr [ %p, %0 ], [ %next, %loop ]
  store volatile i8 0, ptr %at
  %next = getelementptr i8, ptr %at, i64 1
  %done = icmp eq ptr %next, %end
  br i1 %done, label %out, label %loop
out:
  ret void
}
declare void @g()
