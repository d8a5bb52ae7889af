; Calls that may migrate share a landing pad with one that may not. It is split, since on the way from the latter the
; homes have not been stored.
; RUN: %opt -passes=pointer-homing,verify -S %s 2>/dev/null | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: invoke void @stays()
; CHECK-NEXT: to label %{{.*}} unwind label %pad.stayed
; CHECK: invoke void @g()
; CHECK-NEXT: to label %{{.*}} unwind label %pad.migrated
; CHECK: pad.migrated:
; CHECK-NEXT: landingpad
; CHECK: load ptr, ptr %p.home
; CHECK: br label %pad
; CHECK: pad.stayed:
; CHECK-NEXT: landingpad
; CHECK-NOT: load ptr, ptr %p.home
; CHECK: br label %pad
define void @f(ptr %p, i1 %first) personality ptr @__gxx_personality_v0 {
  br i1 %first, label %one, label %two
one:
  invoke void @stays() to label %ok unwind label %pad
two:
  invoke void @g() to label %ok unwind label %pad
ok:
  ret void
pad:
  %l = landingpad { ptr, i32 } cleanup
  store i32 1, ptr %p
  resume { ptr, i32 } %l
}
declare void @g()
declare void @stays() "skein-nomigrate"
declare i32 @__gxx_personality_v0(...)
