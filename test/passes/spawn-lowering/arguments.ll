; Each argument becomes a word with its class: integer 0, pointer 1, double 2, float 3.
; RUN: %opt -passes=spawn-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @f(
; CHECK: %spawn.words = alloca [4 x i64]
; CHECK: store i64 %{{.*}}
; CHECK: store ptr %p
; CHECK: store double
; CHECK: fptrunc double %d to float
; CHECK: store float
; 0 | 1 << 2 | 2 << 4 | 3 << 6
; CHECK: call i64 @__skein_spawn(ptr @body, ptr %spawn.words, i32 4, i32 228)
; CHECK-NOT: call{{.*}}@skein_spawn_(
define i64 @f(i32 %n, ptr %p, double %d) {
  %t = call i64 (ptr, ...) @skein_spawn_(ptr @body, i32 %n, ptr %p, double %d, double %d)
  ret i64 %t
}
define void @body(i32 %n, ptr %p, double %d, float %e) {
  ret void
}
declare i64 @skein_spawn_(ptr, ...)
