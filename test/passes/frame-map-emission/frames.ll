; The kinds of frames: constant, with a frame pointer, realigned, realigned and of variable size. Home slots and the words of
; typed locals are found from the CFA, the stack pointer or the base pointer. (test/abi compares with the machine code.)
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -filetype=obj %s -o %t.o
; RUN: %clang -fuse-ld=lld -shared -nostdlib %t.o -o %t.so
; RUN: %python %root/test/abi/frame_maps.py %t.so | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr)

; CHECK: function constant of {{.*}}: frame 32 alignment 8 saved [rbx@cfa-16]
; CHECK-NEXT: local 0: pointer cfa-24 count 1 stride 8
; CHECK-NEXT: site line 0: live [0]
define i64 @constant(ptr %p, i64 %i) #0 {
  %home = alloca ptr, !skein.local !10
  store ptr %p, ptr %home
  call void @f(ptr null), !heapallocsite !1
  %q = load ptr, ptr %home
  store ptr null, ptr %q
  ret i64 %i
}

; CHECK: function with_frame_pointer of {{.*}}: frame 32 alignment 8 fp saved [rbp@cfa-16]
; CHECK-NEXT: local 0: pointer cfa-24 count 1 stride 8
; CHECK-NEXT: site line 0: live [0]
define void @with_frame_pointer(ptr %p) #1 {
  %home = alloca ptr, !skein.local !10
  store ptr %p, ptr %home
  call void @f(ptr null), !heapallocsite !1
  %q = load ptr, ptr %home
  store ptr null, ptr %q
  ret void
}

; The distance from the CFA is not constant: rsp counts.
; CHECK: function realigned of {{.*}}: frame 0 alignment 64 fp saved [rbp@cfa-16]
; CHECK-NEXT: local 0: pointer sp+{{[0-9]+}} count 1 stride 8
; CHECK-NEXT: site line 0: live [0]
define void @realigned(ptr %p) #0 {
  %home = alloca ptr, !skein.local !10
  %a = alloca [8 x i64], align 64
  store ptr %p, ptr %home
  call void @f(ptr %a), !heapallocsite !1
  %q = load ptr, ptr %home
  store ptr null, ptr %q
  ret void
}

; CHECK: function realigned_and_variable of {{.*}}: frame 0 alignment 64 fp bp saved [rbx@cfa-24 rbp@cfa-16]
; CHECK-NEXT: local 0: pointer bp+{{[0-9]+}} count 1 stride 8
; CHECK-NEXT: site line 0: live [0]
define void @realigned_and_variable(ptr %p, i64 %n) #0 {
  %home = alloca ptr, !skein.local !10
  %a = alloca [8 x i64], align 64
  %v = alloca i64, i64 %n
  store ptr %p, ptr %home
  store ptr %a, ptr %v
  call void @f(ptr %v), !heapallocsite !1
  %q = load ptr, ptr %home
  store ptr null, ptr %q
  ret void
}

; Several groups in one object, and only what the site names.
; CHECK: function typed of {{.*}}: frame 64 alignment
; CHECK-NEXT: local 0: ambiguous cfa-48 count 1 stride 8
; CHECK-NEXT: local 1: pointer cfa-56 count 3 stride 16
; CHECK-NEXT: site line 0: live [0, 1]
; CHECK-NEXT: site line 0: live []
define void @typed() #0 {
  %t = alloca [6 x i64], !skein.local !11
  %other = alloca ptr, !skein.local !12
  call void @f(ptr %t), !heapallocsite !3
  call void @f(ptr %other), !heapallocsite !4
  ret void
}

attributes #0 = { nounwind "skein-homed" }
attributes #1 = { nounwind "skein-homed" "frame-pointer"="all" }
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !5}
!2 = !{}
!3 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !6}
!4 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!5 = !{i64 0}
!6 = !{i64 3}
!10 = !{i64 0, i64 0, i64 0, i64 8, i64 1}
!11 = !{i64 3, i64 0, i64 0, i64 16, i64 3, i64 1, i64 8, i64 8, i64 1}
!12 = !{i64 4, i64 0, i64 0, i64 8, i64 1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
