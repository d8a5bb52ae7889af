; The vectoriser masks several addresses at once: each element is told.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: %[[A:.*]] = extractelement <2 x ptr> %v, i64 0
; CHECK-NEXT: call preserve_mostcc void @__skein_address_escapes(ptr %[[A]], ptr null,
; CHECK-NEXT: %[[B:.*]] = extractelement <2 x ptr> %v, i64 1
; CHECK-NEXT: call preserve_mostcc void @__skein_address_escapes(ptr %[[B]], ptr null,
; CHECK-NEXT: store <2 x i64> %m, ptr %q
define void @f(<2 x ptr> %v, ptr %q) {
  %a = ptrtoint <2 x ptr> %v to <2 x i64>
  %m = and <2 x i64> %a, splat (i64 281474976710655)
  store <2 x i64> %m, ptr %q
  ret void
}
