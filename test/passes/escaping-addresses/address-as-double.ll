; An address under the type of a double is smaller than any normal number, so the integer to which it is converted is zero
; wherever it leads. What is computed from it as a double may be anything.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @converted(
; CHECK-NOT: __skein
; CHECK: ret i32
define i32 @converted(ptr %p) {
  %d = load double, ptr %p
  %n = fptosi double %d to i32
  ret i32 %n
}

; CHECK-LABEL: define i64 @converted_from_word(
; CHECK-NOT: __skein
; CHECK: ret i64
define i64 @converted_from_word(ptr %p) {
  %w = load i64, ptr %p
  %d = bitcast i64 %w to double
  %n = fptoui double %d to i64
  ret i64 %n
}

; CHECK-LABEL: define i64 @multiple(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @multiple(ptr %p) {
  %d = load double, ptr %p
  %m = fmul double %d, 0x7FE0000000000000
  %n = fptosi double %m to i64
  ret i64 %n
}

; CHECK-LABEL: define i64 @sum_with_address(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @sum_with_address(ptr %p, i64 %n) {
  %w = load i64, ptr %p
  %s = or i64 %w, 4841369599423283200
  %d = bitcast i64 %s to double
  %i = fptosi double %d to i64
  ret i64 %i
}

; Each half of a word may be a float that is no smaller than any number.
; CHECK-LABEL: define <2 x i32> @floats(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret <2 x i32>
define <2 x i32> @floats(ptr %p) {
  %d = load <2 x float>, ptr %p
  %n = fptosi <2 x float> %d to <2 x i32>
  ret <2 x i32> %n
}

; An address to which a number is added may be any double.
; CHECK-LABEL: define i64 @of_a_pointer(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @of_a_pointer(ptr %p, i64 %n) {
  %w = ptrtoint ptr %p to i64
  %s = add i64 %w, %n
  %d = bitcast i64 %s to double
  %i = fptosi double %d to i64
  ret i64 %i
}
