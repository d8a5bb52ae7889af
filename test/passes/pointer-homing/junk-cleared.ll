; Ambiguous words of a small local are zero when its life begins, so that they hold no address of an earlier frame's;
; those of a large one are not.
; RUN: %opt -passes=pointer-homing,verify -S %s 2>/dev/null | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @small()
; CHECK: %s = alloca [16 x i8]
; CHECK-NEXT: %[[FIRST:.*]] = getelementptr inbounds i8, ptr %s, i64 0
; CHECK-NEXT: store i64 0, ptr %[[FIRST]]
; CHECK-NEXT: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %s, i64 8
; CHECK-NEXT: store i64 0, ptr %[[SECOND]]
; CHECK-NEXT: call void @g(ptr %s)
define void @small() {
  %s = alloca [16 x i8], align 8
  call void @g(ptr %s)
  ret void
}

; CHECK-LABEL: define void @begins_later()
; CHECK: call void @h()
; CHECK: store i64 0
; CHECK: call void @g(ptr %s)
define void @begins_later() {
  %s = alloca [8 x i8], align 8
  call void @h()
  call void @llvm.lifetime.start.p0(ptr %s)
  call void @g(ptr %s)
  call void @llvm.lifetime.end.p0(ptr %s)
  ret void
}

; CHECK-LABEL: define void @large()
; CHECK-NOT: store i64 0
; CHECK: call void @g
define void @large() {
  %s = alloca [100 x i8], align 8
  call void @g(ptr %s)
  ret void
}
declare void @g(ptr)
declare void @h()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
