; Code generation makes a vector of two ints wider and drops the tag of the load. The IR still has it.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -skein-warnings=unproved=error %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f()

; CHECK-LABEL: two_numbers:
; CHECK: callq f@PLT
define <2 x i32> @two_numbers(ptr %p) #0 {
  %v = load <2 x i32>, ptr %p, !tbaa !3
  call void @f(), !heapallocsite !1
  ret <2 x i32> %v
}

; In a vector, elements smaller than half a word do not count as words.
; CHECK-LABEL: many_numbers:
; CHECK: callq f@PLT
define <8 x i16> @many_numbers(ptr %p) #0 {
  %v = load <8 x i16>, ptr %p
  call void @f(), !heapallocsite !1
  ret <8 x i16> %v
}

; An address of shared memory is the same everywhere.
; CHECK-LABEL: shared_address:
; CHECK: callq f@PLT
define ptr addrspace(100) @shared_address(ptr %p) #0 {
  %v = load ptr addrspace(100), ptr %p
  call void @f(), !heapallocsite !1
  ret ptr addrspace(100) %v
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
