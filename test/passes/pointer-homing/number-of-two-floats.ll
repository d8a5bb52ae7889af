; In a module that keeps addresses in integers, every wide word is ambiguous unless it is too small. LLVM knows no bits
; of floating-point numbers, and crashes on a select between two of them that depends on their comparison. And the lower
; half of 128 bits may be an address, if the upper half is zero.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @g()
declare void @use(<2 x float>)
declare void @use128(i128)

; CHECK-LABEL: define void @smallest(
; CHECK: store volatile <2 x float>
; CHECK: call void @g()
define void @smallest(ptr %p, i1 %c) "skein-address-integers" {
entry:
  br label %loop

loop:
  %least = phi <2 x float> [ splat (float 0x47EFFFFFE0000000), %entry ], [ %less, %loop ]
  %next = load <2 x float>, ptr %p, align 8, !tbaa !0
  %is = fcmp ogt <2 x float> %least, %next
  %less = select <2 x i1> %is, <2 x float> %next, <2 x float> %least
  br i1 %c, label %loop, label %done

done:
  %last = phi <2 x float> [ %less, %loop ]
  call void @g()
  call void @use(<2 x float> %last)
  ret void
}

; CHECK-LABEL: define void @extended(
; CHECK: %wide = zext i64 %word to i128
; CHECK: store volatile i128 %wide
; CHECK: call void @g()
define void @extended(i64 %a) "skein-address-integers" {
  %word = mul i64 %a, 3
  %wide = zext i64 %word to i128
  call void @g()
  call void @use128(i128 %wide)
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"float", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C++ TBAA"}
