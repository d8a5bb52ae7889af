; A claim that holds, one about a function that is defined elsewhere, and no claims at all.
; RUN: %opt -passes=linked-claims,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define void @f() #[[F:[0-9]+]]
define void @f() #0 {
  ret void
}
declare void @elsewhere()
; CHECK: attributes #[[F]] = { "skein-compiled" "skein-nomigrate-claimed" }
attributes #0 = { "skein-compiled" }
!skein.claims = !{!0, !1}
!0 = !{!"f"}
!1 = !{!"elsewhere"}
