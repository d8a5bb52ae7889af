; The runtime is told of numbers that are made of an address beside a pointer, and by functions that were not compiled
; here.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare { i64, i64 } @lldiv(i64, i64) "skein-nomigrate"

; CHECK-LABEL: define internal { ptr, i64 } @both(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p,
define internal { ptr, i64 } @both(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %h = mul i64 %a, 7046029254386353131
  %one = insertvalue { ptr, i64 } poison, ptr %p, 0
  %two = insertvalue { ptr, i64 } %one, i64 %h, 1
  ret { ptr, i64 } %two
}

; CHECK-LABEL: define i64 @quotient(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p,
; CHECK: call { i64, i64 } @lldiv(
define i64 @quotient(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %d = call { i64, i64 } @lldiv(i64 %a, i64 1000003)
  %q = extractvalue { i64, i64 } %d, 0
  ret i64 %q
}

; CHECK-LABEL: define void @use(
define void @use(ptr %p) {
  %b = call { ptr, i64 } @both(ptr %p)
  ret void
}
