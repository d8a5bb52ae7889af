; What a loop defines anew in each turn is stored in those cases of a switch that call, once in each: not at the head of
; the loop, which all cases would pay for, and not before each call.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @interpreter(
; CHECK: head:
; CHECK-NEXT: [[PC:%.*]] = phi ptr
; CHECK-NEXT: load i32, ptr [[PC]]
; CHECK: quiet:
; CHECK-NOT: store
; CHECK: br label %head
; CHECK: once:
; CHECK-NEXT: store ptr [[PC]], ptr [[HOME:%.*]], align 8
; CHECK-NEXT: call void @g()
; CHECK: br label %head
; CHECK: twice:
; CHECK-NEXT: store ptr [[PC]], ptr [[HOME]], align 8
; CHECK-NEXT: br i1
; CHECK: left:
; CHECK-NEXT: call void @g()
; CHECK: right:
; CHECK-NEXT: call void @g()
; CHECK: behind:
; CHECK-NOT: store
; CHECK: call void @g()
; CHECK: br label %head
define void @interpreter(ptr %code, i1 %c) {
entry:
  br label %head
head:
  %pc = phi ptr [ %code, %entry ], [ %next.quiet, %quiet ], [ %next.once, %once ], [ %next.behind, %behind ]
  %op = load i32, ptr %pc
  switch i32 %op, label %quiet [
    i32 0, label %once
    i32 1, label %twice
    i32 2, label %done
  ]
quiet:
  %next.quiet = getelementptr i8, ptr %pc, i64 4
  br label %head
once:
  call void @g()
  %next.once = getelementptr i8, ptr %pc, i64 8
  br label %head
twice:
  br i1 %c, label %left, label %right
left:
  call void @g()
  br label %behind
right:
  call void @g()
  br label %behind
behind:
  call void @g()
  %next.behind = getelementptr i8, ptr %pc, i64 12
  br label %head
done:
  ret void
}
declare void @g()
