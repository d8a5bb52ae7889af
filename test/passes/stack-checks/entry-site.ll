; What the entry site says of the arguments: pointers and possible ones, in registers and in memory.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs %s -o - | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; rdi, rdx and r9 are pointers (1 | 4 | 32), rsi may be one (2), rcx is 32 bits wide; of the words in memory the first is a pointer,
; the last may be one.
; CHECK-LABEL: .Lskein.map.arguments:
; CHECK: .byte 37
; CHECK-NEXT: .short 18
define void @arguments(ptr %a, i64 %b, ptr %c, i32 %d, i64 %e, ptr %f, ptr %g, i32 %h, i64 %i) #0 {
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; A vector of pointers is ambiguous: bit 8 + 1. A double is nothing.
; CHECK-LABEL: .Lskein.map.vectors:
; CHECK: .short 512
define void @vectors(double %x, <2 x ptr> %v) #0 {
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

define dso_local void @here() noinline #0 {
  ret void
}

attributes #0 = { nounwind "skein-homed" "skein-stacks"="growable" }
!llvm.module.flags = !{!0, !3, !4}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{i32 7, !"PIE Level", i32 2}
!4 = !{i32 8, !"PIC Level", i32 2}
