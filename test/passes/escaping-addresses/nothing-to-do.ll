; Nothing is told of pointers that stay pointers, of their differences, and of numbers that never were addresses.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-NOT: __skein_address_escapes
define i64 @f(ptr %p, ptr %q, i64 %n) {
  store ptr %p, ptr %q
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  %d = sub i64 %a, %b, !skein.pointers !0
  store i64 %d, ptr %q
  store i64 %n, ptr %p
  ret i64 %d
}
!0 = !{}
