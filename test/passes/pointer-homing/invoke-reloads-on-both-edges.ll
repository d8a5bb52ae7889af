; After an invoke the value is reloaded where it returns and where it unwinds.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: store ptr %p, ptr %[[HOME:.*]], align 8
; CHECK: invoke void @g()
; CHECK: ok:
; CHECK: %[[A:.*]] = load ptr, ptr %[[HOME]]
; CHECK: store i32 1, ptr %[[A]]
; CHECK: pad:
; CHECK: landingpad
; CHECK: %[[B:.*]] = load ptr, ptr %[[HOME]]
; CHECK: store i32 2, ptr %[[B]]
define void @f(ptr %p) personality ptr @__gxx_personality_v0 {
  invoke void @g() to label %ok unwind label %pad
ok:
  store i32 1, ptr %p
  ret void
pad:
  %l = landingpad { ptr, i32 } cleanup
  store i32 2, ptr %p
  resume { ptr, i32 } %l
}
declare void @g()
declare i32 @__gxx_personality_v0(...)
