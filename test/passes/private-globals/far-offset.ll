; An offset that may lead far away from the variable is added to its address, and not within the segment.
; RUN: %opt -passes=private-globals,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@v = internal global [8 x i64] zeroinitializer #0

; CHECK-LABEL: define i64 @inside(
; CHECK: load i64, ptr addrspace(256)
define i64 @inside(i64 %n) {
  %e = getelementptr inbounds [8 x i64], ptr @v, i64 0, i64 %n
  %x = load i64, ptr %e
  ret i64 %x
}

; CHECK-LABEL: define i64 @far(
; CHECK: %[[A:.*]] = load ptr, ptr addrspace(256)
; CHECK: %e = getelementptr i8, ptr %[[A]], i64 %n
; CHECK: load i64, ptr %e
define i64 @far(i64 %n) {
  %e = getelementptr i8, ptr @v, i64 %n
  %x = load i64, ptr %e
  ret i64 %x
}

attributes #0 = { "skein-private" }
