; An address without inbounds may lie far outside of its object: its base is homed, and it is computed again behind the call.
; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @migrate()

; CHECK-LABEL: define i32 @backward(
; CHECK-NOT:     %biased
; CHECK:         call void @migrate()
; CHECK:         %[[BASE:.*]] = load ptr, ptr %a.home
; CHECK:         getelementptr i32, ptr %[[BASE]], i64 %hi
define i32 @backward(ptr %a, i64 %hi, i64 %back) {
  %biased = getelementptr i32, ptr %a, i64 %hi
  call void @migrate()
  %at = getelementptr i32, ptr %biased, i64 %back
  %value = load i32, ptr %at, align 4
  ret i32 %value
}
