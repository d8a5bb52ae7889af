; A result that is declared to be an address is told of like a pointer, where a part of it is stored.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: c"was made into a number in `f`\00"
; CHECK-LABEL: define void @f(
; CHECK: %a = call i64 @number_of(ptr %p)
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: store i32 %t, ptr %q
define void @f(ptr %p, ptr %q) {
  %a = call i64 @number_of(ptr %p)
  %h = lshr i64 %a, 32
  %t = trunc i64 %h to i32
  store i32 %t, ptr %q
  ret void
}

define internal "skein-address" i64 @number_of(ptr %p) {
  %a = ptrtoint ptr %p to i64
  ret i64 %a
}
