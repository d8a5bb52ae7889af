; A byval argument that a must-tail call hands on stays where it came, in the caller's frame; a call before pins.
; RUN: %opt -passes=pointer-homing,verify -S %s 2>/dev/null | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @thunk(
; CHECK-NOT: memcpy
; CHECK: call void @g(){{.*}}!heapallocsite ![[SITE:[0-9]+]]
; CHECK: musttail call void @method(ptr %this, ptr byval({ ptr, ptr, ptr }) %s)
; CHECK: ![[SITE]] = !{!"skein.site", i64 [[FRAME:[1-9]]],
define void @thunk(ptr %this, ptr byval({ ptr, ptr, ptr }) %s) {
  call void @g()
  musttail call void @method(ptr %this, ptr byval({ ptr, ptr, ptr }) %s)
  ret void
}
declare void @g()
declare void @method(ptr, ptr byval({ ptr, ptr, ptr }))
