; What a stackrestore frees is taken from the chain before.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: call void @g(ptr %a)
; CHECK: br label %skein.pop
; CHECK: skein.pop:
; CHECK: %[[NEWEST:.*]] = load volatile ptr, ptr %skein.blocks
; CHECK: %[[SOME:.*]] = icmp ne ptr %[[NEWEST]], null
; CHECK: %[[BELOW:.*]] = icmp ult ptr %[[NEWEST]], %[[SAVED:.*]]
; CHECK: %[[FREED:.*]] = and i1 %[[SOME]], %[[BELOW]]
; CHECK: br i1 %[[FREED]], label %skein.pop.step
; CHECK: skein.pop.step:
; CHECK: %[[PREVIOUS:.*]] = load volatile ptr, ptr %[[NEWEST]]
; CHECK: store volatile ptr %[[PREVIOUS]], ptr %skein.blocks
; CHECK: br label %skein.pop
; CHECK: call void @llvm.stackrestore.p0(ptr %[[SAVED]])
define void @f(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %saved = call ptr @llvm.stacksave()
  %a = alloca ptr, i64 %n
  call void @g(ptr %a)
  call void @llvm.stackrestore(ptr %saved)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}
declare void @g(ptr)
