; If an address is stored in another form, the runtime is told of the pointer it came from.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: c"was made into a number in `f`\00"
; CHECK-LABEL: define void @f(
; CHECK: %h = lshr i64 %a, 32
; CHECK-NEXT: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null, ptr @{{[0-9]+}})
; CHECK-NEXT: store i64 %h, ptr %q
define void @f(ptr %p, ptr %q) {
  %a = ptrtoint ptr %p to i64
  %h = lshr i64 %a, 32
  store i64 %h, ptr %q
  ret void
}
