; Code that was homed and is optimised again loses its sites, with a warning, since nobody knows what they would name.
; RUN: %opt -passes=source-facts,verify -S %s -o %t 2>%t.err
; RUN: FileCheck %s < %t
; RUN: FileCheck --check-prefix=WARNING %s < %t.err
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define void @f() #[[F:[0-9]+]]
; CHECK-NEXT: call void @g(){{$}}
; CHECK: attributes #[[F]] = { "skein-homed" }
; WARNING: a thread cannot move while 'f', or another function of '{{.*}}homed-before.ll', is on its stack
define void @f() #0 {
  call void @g(), !heapallocsite !0
  ret void
}
declare void @g()
attributes #0 = { "skein-homed" }
!0 = !{!"skein.site", i64 0, i64 0, i64 0, !1, !1}
!1 = !{}
!llvm.module.flags = !{!2}
!2 = !{i32 2, !"Debug Info Version", i32 3}
