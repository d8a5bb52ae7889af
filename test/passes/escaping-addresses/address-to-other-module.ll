; A plain address as an integer is followed within the module, but not to a function of another one.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: call void @here(i64 %a)
; CHECK-NEXT: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null,
; CHECK-NEXT: call void @elsewhere(i64 %a)
define void @f(ptr %p) {
  %a = ptrtoint ptr %p to i64
  call void @here(i64 %a)
  call void @elsewhere(i64 %a)
  ret void
}
define internal void @here(i64 %a) {
  ret void
}
declare void @elsewhere(i64)
