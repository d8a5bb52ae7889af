; A frame with the exceptions of a language that Skein does not know pins its thread.
; RUN: %opt -passes=pointer-homing,verify -S %s 2>/dev/null | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: invoke void @g(){{.*}}
; CHECK-NEXT: to label %ok unwind label %pad, !heapallocsite ![[SITE:[0-9]+]]
; CHECK: ![[SITE]] = !{!"skein.site", i64 3,
define void @f() personality ptr @__gnat_eh_personality {
  invoke void @g() to label %ok unwind label %pad
ok:
  ret void
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  ret void
}
declare void @g()
declare i32 @__gnat_eh_personality(...)
