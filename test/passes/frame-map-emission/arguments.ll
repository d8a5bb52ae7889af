; Pointers that travel in memory: the register save area of a variadic function, outgoing words of a variadic call, and
; a local that lives in the memory its argument came in (argument-copy elision).
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -filetype=obj %s -o %t.o
; RUN: %clang -fuse-ld=lld -shared -nostdlib %t.o -o %t.so
; RUN: %python %root/test/abi/frame_maps.py %t.so | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr)
declare void @v(i32, ...)

; CHECK: function variadic of {{.*}}: frame 224 alignment 16 variadic saved
; CHECK-NEXT: save area cfa-[[#]]
define void @variadic(i32 %n, ...) #0 {
  %list = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  call void @f(ptr %list), !heapallocsite !1
  ret void
}

; Without va_start there is nothing to save.
; CHECK: function variadic_unused of
; CHECK-NOT: save area
; CHECK: site line 0: live []
define void @variadic_unused(i32 %n, ...) #0 {
  call void @f(ptr null), !heapallocsite !1
  ret void
}

; CHECK: function caller of
; CHECK-NEXT: local 0: pointer sp+8 count 1 stride 8
; CHECK-NEXT: site line 0: live [0] va 0x6
define void @caller(ptr %p) #0 {
  call void (i32, ...) @v(i32 1, ptr %p, ptr %p, i64 0, i64 0, i64 0, i64 0, ptr %p), !heapallocsite !3
  ret void
}

; %p7 is the first argument on the stack, %p8 the second.
; CHECK: function elided of
; CHECK-NEXT: local 0: pointer cfa+8 count 1 stride 8
; CHECK-NEXT: site line 0: live [0]
define void @elided(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %g, i64 %p7, ptr %p8) #0 {
  %own = alloca ptr, !skein.local !10
  store ptr %p8, ptr %own
  call void @f(ptr %own), !heapallocsite !4
  ret void
}

; A variadic call at the end makes all incoming objects mutable, also that of %n7, which comes before.
; CHECK: function elided_before_variadic of
; CHECK-NEXT: local 0: pointer cfa+8 count 1 stride 8
; CHECK-NEXT: site line 0: live [0]
define void @elided_before_variadic(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %g, i32 %n7, ptr %p8) #0 {
  %own = alloca ptr, !skein.local !10
  store ptr %p8, ptr %own
  call void @f(ptr %own), !heapallocsite !4
  tail call void (i32, ...) @v(i32 %n7)
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{!"skein.site", i64 0, i64 6, i64 0, !5, !2}
!4 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !6}
!5 = !{i64 8}
!6 = !{i64 0}
!10 = !{i64 0, i64 0, i64 0, i64 8, i64 1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
