; Each argument becomes a word with its class: integer 0, pointer 1, double 2, float 3; the result's is in the upper bits.
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
  %t = call i64 (ptr, i32, ...) @skein_spawn_(ptr @body, i32 0, i32 %n, ptr %p, double %d, double %d)
  ret i64 %t
}
define void @body(i32 %n, ptr %p, double %d, float %e) {
  ret void
}
declare i64 @skein_spawn_(ptr, i32, ...)

; CHECK-LABEL: define i64 @g(
; 8 << 28, an int
; CHECK: call i64 @__skein_spawn(ptr %f, ptr %spawn.words, i32 0, i32 -2147483648)
define i64 @g(ptr %f) {
  %t = call i64 (ptr, i32, ...) @skein_spawn_(ptr %f, i32 8)
  ret i64 %t
}

; CHECK-LABEL: define i64 @h(
; 1 << 40 | 1 << 32 | 1 << 28, to be started later, an argument, a pointer
; CHECK: call i64 @__skein_spawn_with(ptr %a, ptr %f, ptr %spawn.words, i64 1104075030528)
define i64 @h(ptr %a, ptr %f) {
  %t = call i64 (ptr, ptr, i32, ...) @skein_create_(ptr %a, ptr %f, i32 1, i32 7)
  ret i64 %t
}
declare i64 @skein_create_(ptr, ptr, i32, ...)

; CHECK-LABEL: define i64 @narrow(
; CHECK: store float %e, ptr
; CHECK: call i64 @__skein_spawn(ptr %f, ptr %spawn.words, i32 1, i32 3)
define i64 @narrow(ptr %f, float %e) {
  %t = call i64 (ptr, i32, ...) @skein_spawn_(ptr %f, i32 0, float %e)
  ret i64 %t
}
