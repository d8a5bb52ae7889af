; In a function with calls that may migrate, strength reduction rewrites only the loops without such calls. Functions
; without such calls are left to code generation.
; RUN: %opt -passes=call-free-loop-strength,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @free(
; CHECK: %lsr.iv
; CHECK-LABEL: define void @left(
; CHECK-NOT: %lsr.iv
; CHECK-LABEL: define void @calls(
; CHECK-NOT: %lsr.iv
; CHECK: getelementptr [24 x i8], ptr %p, i64 %i
define void @free(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %e = getelementptr [24 x i8], ptr %p, i64 %i
  store i32 1, ptr %e
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  call void @g()
  ret void
}
define void @left(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %e = getelementptr [24 x i8], ptr %p, i64 %i
  store i32 1, ptr %e
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}
define void @calls(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %e = getelementptr [24 x i8], ptr %p, i64 %i
  store i32 1, ptr %e
  call void @g()
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}
declare void @g()
