; Where a character stands in its alphabet is the same after a move, also where the optimiser has made a bit of a sum of the
; comparison. A bit that was there before may be one of an address.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @migrate()

; CHECK-LABEL: define i32 @order(
; CHECK-NOT: skein.witness
; CHECK: ret i32
define i32 @order(ptr %text) {
  %c = load i8, ptr %text, align 1
  %wide = zext i8 %c to i32
  %less = add nsw i32 %wide, 255
  %high = lshr i32 %less, 7
  %end = and i32 %high, 1
  call void @migrate()
  ret i32 %end
}

; CHECK-LABEL: define i32 @bit(
; CHECK: store volatile i64 %{{.*}}, ptr %skein.witness
; CHECK: ret i32
define i32 @bit(ptr %text) {
  %c = load i8, ptr %text, align 1
  %wide = zext i8 %c to i32
  %high = lshr i32 %wide, 7
  %end = and i32 %high, 1
  call void @migrate()
  ret i32 %end
}

; CHECK-LABEL: define i32 @flipped_bit(
; CHECK: store volatile i64 %{{.*}}, ptr %skein.witness
; CHECK: ret i32
define i32 @flipped_bit(ptr %text) {
  %c = load i8, ptr %text, align 1
  %wide = zext i8 %c to i32
  %other = add i32 %wide, 128
  %high = lshr i32 %other, 7
  %end = and i32 %high, 1
  call void @migrate()
  ret i32 %end
}

; CHECK-LABEL: define i32 @digits(
; CHECK: store volatile i64 %{{.*}}, ptr %skein.witness
; CHECK: ret i32
define i32 @digits(ptr %text) {
  %c = load i8, ptr %text, align 1
  %wide = zext i8 %c to i32
  %less = add i32 %wide, 255
  %high = lshr i32 %less, 4
  %digit = and i32 %high, 15
  call void @migrate()
  ret i32 %digit
}
