; The optimiser makes p - (q + n) of (p - q) - n, and (n + p) - q of n - (q - p). That p and q lead into one object is known from
; the mark that their conversions have in common, as long as each is used here alone.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @less(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @less(ptr %p, ptr %q, i32 %n, ptr %to) {
  %a = ptrtoint ptr %p to i64, !skein.pointers !0
  %b = ptrtoint ptr %q to i64, !skein.pointers !0
  %wide = zext i32 %n to i64
  %sum = add i64 %b, %wide
  %rest = sub i64 %a, %sum
  store i64 %rest, ptr %to
  ret void
}

; CHECK-LABEL: define void @rest(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @rest(ptr %p, ptr %q, i32 %n, ptr %to) {
  %a = ptrtoint ptr %p to i64, !skein.pointers !0
  %b = ptrtoint ptr %q to i64, !skein.pointers !0
  %wide = zext i32 %n to i64
  %more = add i64 %a, %wide
  %less = add i64 %more, -1
  %rest = sub i64 %less, %b
  store i64 %rest, ptr %to
  ret void
}

; CHECK-LABEL: define void @unmarked(
; CHECK: __skein_address_escapes
; CHECK: ret void
define void @unmarked(ptr %p, ptr %q, i32 %n, ptr %to) {
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  %wide = zext i32 %n to i64
  %sum = add i64 %b, %wide
  %rest = sub i64 %a, %sum
  store i64 %rest, ptr %to
  ret void
}

; These come from two subtractions.
; CHECK-LABEL: define void @of_two(
; CHECK: __skein_address_escapes
; CHECK: ret void
define void @of_two(ptr %p, ptr %q, i32 %n, ptr %to) {
  %a = ptrtoint ptr %p to i64, !skein.pointers !0
  %b = ptrtoint ptr %q to i64, !skein.pointers !1
  %wide = zext i32 %n to i64
  %sum = add i64 %b, %wide
  %rest = sub i64 %a, %sum
  store i64 %rest, ptr %to
  ret void
}

; The second use may be the one that the program does not declare to be a subtraction of pointers.
; CHECK-LABEL: define void @used_twice(
; CHECK: __skein_address_escapes
; CHECK: ret void
define void @used_twice(ptr %p, ptr %q, i32 %n, ptr %to) {
  %a = ptrtoint ptr %p to i64, !skein.pointers !0
  %b = ptrtoint ptr %q to i64, !skein.pointers !0
  %wide = zext i32 %n to i64
  %sum = add i64 %b, %wide
  %rest = sub i64 %a, %sum
  store i64 %rest, ptr %to
  %low = and i64 %b, 7
  %next = getelementptr i64, ptr %to, i64 1
  store i64 %low, ptr %next
  ret void
}

; Another address in the sum is no number.
; CHECK-LABEL: define void @of_three(
; CHECK: __skein_address_escapes
; CHECK: ret void
define void @of_three(ptr %p, ptr %q, ptr %r, ptr %to) {
  %a = ptrtoint ptr %p to i64, !skein.pointers !0
  %b = ptrtoint ptr %q to i64, !skein.pointers !0
  %c = ptrtoint ptr %r to i64
  %sum = add i64 %b, %c
  %rest = sub i64 %a, %sum
  store i64 %rest, ptr %to
  ret void
}

!0 = distinct !{}
!1 = distinct !{}
