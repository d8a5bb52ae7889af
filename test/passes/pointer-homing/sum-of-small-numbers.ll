; In a module where some integers are addresses, each integer of 64 bits that is alive across a call has a witness, unless it is a
; sum of small numbers.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @migrate()
declare i64 @made()

; CHECK-LABEL: define i64 @counter(
; CHECK-NOT: skein.witness
; CHECK: ret i64
define i64 @counter(i32 %n) "skein-address-integers" {
entry:
  %step = zext i32 %n to i64
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %limit = phi i64 [ -1, %entry ], [ %more, %loop ]
  %next = add i64 %i, 1
  %more = add i64 %limit, %step
  call void @migrate()
  %on = icmp ult i64 %next, %limit
  br i1 %on, label %loop, label %out
out:
  %all = sub i64 %limit, %next
  ret i64 %all
}

; CHECK-LABEL: define i64 @halves(
; CHECK: store volatile i64 %word, ptr %skein.witness
; CHECK: ret i64
define i64 @halves(i32 %a, i32 %b) "skein-address-integers" {
  %low = zext i32 %a to i64
  %high = zext i32 %b to i64
  %up = shl i64 %high, 32
  %word = add i64 %up, %low
  call void @migrate()
  %more = mul i64 %word, %word
  ret i64 %more
}

; CHECK-LABEL: define i64 @of_unknown(
; CHECK: store volatile i64 %{{.*}}, ptr %skein.witness
; CHECK: ret i64
define i64 @of_unknown() "skein-address-integers" {
  %begin = call i64 @made()
  %next = add i64 %begin, 1
  call void @migrate()
  %more = mul i64 %next, %next
  ret i64 %more
}
