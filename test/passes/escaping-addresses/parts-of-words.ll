; Half of a word that may be an address is stored: the runtime is shown the word around it. A member that is declared as an
; int is none.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: c"was taken apart in `half`\00"
; CHECK-LABEL: define void @half(
; CHECK: %[[AT:.*]] = call ptr @llvm.ptrmask.p0.i64(ptr %u, i64 -8)
; CHECK: load volatile i64, ptr %[[AT]], align 8
; CHECK: icmp ult
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: %h = load i32, ptr %u
define void @half(ptr %u, ptr %q) {
  %h = load i32, ptr %u, align 4, !tbaa !0
  %n = xor i32 %h, 5
  store i32 %n, ptr %q, align 4
  ret void
}

; CHECK-LABEL: define void @number(
; CHECK-NOT: __skein
; CHECK: ret void
define void @number(ptr %u, ptr %q) {
  %h = load i32, ptr %u, align 4, !tbaa !3
  %n = xor i32 %h, 5
  store i32 %n, ptr %q, align 4
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"omnipotent char", !2, i64 0}
!2 = !{!"Simple C/C++ TBAA"}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !1, i64 0}
