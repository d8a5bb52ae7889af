; A pointer is made of a word that is declared as a number, in a local that others fill. It is used as nothing but an address,
; and yet says that numbers of this module are addresses.
; RUN: %opt -passes=address-signatures,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @fills(ptr)

; CHECK: define ptr @f() #[[KEEPS:[0-9]+]]
define ptr @f() {
  %s = alloca { i64, i64 }
  call void @fills(ptr %s)
  %n = load i64, ptr %s, !tbaa !0
  %p = inttoptr i64 %n to ptr
  ret ptr %p
}

; CHECK: attributes #[[KEEPS]] = { "skein-address-integers" }
!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
