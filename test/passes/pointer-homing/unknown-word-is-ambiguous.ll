; A word that was loaded without a type is shown to the runtime across a call; one that a tag calls a number is not; one of
; which nothing but a pointer is made is homed.
; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @migrate()
declare void @use(i64)

; CHECK-LABEL: define void @unknown(
; CHECK:         %word = load i64, ptr %from, align 8
; CHECK:         store volatile i64 %word, ptr %skein.witness
; CHECK:         call void @migrate()
define void @unknown(ptr %from) {
  %word = load i64, ptr %from, align 8
  call void @migrate()
  call void @use(i64 %word)
  ret void
}

; CHECK-LABEL: define void @number(
; CHECK-NOT:     store
; CHECK:         ret void
define void @number(ptr %from) {
  %word = load i64, ptr %from, align 8, !tbaa !0
  call void @migrate()
  call void @use(i64 %word)
  ret void
}

; CHECK-LABEL: define i8 @address(
; CHECK-NOT:     skein.witness
; CHECK:         store i64 %word, ptr %word.home
define i8 @address(ptr %from) {
  %word = load i64, ptr %from, align 8
  call void @migrate()
  %pointer = inttoptr i64 %word to ptr
  %byte = load i8, ptr %pointer, align 1
  ret i8 %byte
}

!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
