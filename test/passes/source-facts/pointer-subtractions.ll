; As clang writes it, the subtraction of two pointers has both before it converts one. Of integers that were made of
; pointers, the second pointer comes behind the conversion of the first, and nothing is known of where they lead.
; RUN: %opt -passes=source-facts,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @pointers(
; CHECK: sub i64 %e, %f, !skein.pointers
define i64 @pointers(ptr %a, ptr %b) {
  %c = load ptr, ptr %a
  %d = load ptr, ptr %b
  %e = ptrtoint ptr %c to i64
  %f = ptrtoint ptr %d to i64
  %g = sub i64 %e, %f
  ret i64 %g
}
; CHECK-LABEL: define i64 @integers(
; CHECK: sub i64 %d, %f{{$}}
define i64 @integers(ptr %a, ptr %b) {
  %c = load ptr, ptr %a
  %d = ptrtoint ptr %c to i64
  %e = load ptr, ptr %b
  %f = ptrtoint ptr %e to i64
  %g = sub i64 %d, %f
  ret i64 %g
}
; The address of a local is there all the time, so that both look alike.
; CHECK-LABEL: define i64 @local(
; CHECK: sub i64 %d, %e{{$}}
define i64 @local(ptr %a) {
  %x = alloca i8
  %c = load ptr, ptr %a
  %d = ptrtoint ptr %c to i64
  %e = ptrtoint ptr %x to i64
  %f = sub i64 %d, %e
  ret i64 %f
}
; So is `this`, which is loaded once.
; CHECK-LABEL: define i64 @this(
; CHECK: sub i64 %d, %e{{$}}
define i64 @this(ptr %a, ptr %b) {
  %this1 = load ptr, ptr %a
  %c = load ptr, ptr %b
  %d = ptrtoint ptr %c to i64
  %e = ptrtoint ptr %this1 to i64
  %f = sub i64 %d, %e
  ret i64 %f
}
