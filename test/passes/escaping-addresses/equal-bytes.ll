; How many bytes of two words agree is what a loop over the bytes finds, which counts as text. Nothing else that is made
; of the lowest bit in which two words differ does.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @fill(ptr)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)

; CHECK-LABEL: define i64 @bytes(
; CHECK-NOT: __skein
; CHECK: ret i64
define i64 @bytes(ptr %p, ptr %q) {
  %a = load i64, ptr %p
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 3
  ret i64 %n
}

; CHECK-LABEL: define i32 @narrow(
; CHECK-NOT: __skein
; CHECK: ret i32
define i32 @narrow(ptr %p, ptr %q) {
  %a = load i64, ptr %p
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %low = trunc i64 %bit to i32
  %n = lshr i32 %low, 3
  ret i32 %n
}

; CHECK-LABEL: define i64 @bits(
; CHECK-COUNT-2: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @bits(ptr %p, ptr %q) {
  %a = load i64, ptr %p
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  ret i64 %bit
}

; CHECK-LABEL: define i64 @pairs_of_bits(
; CHECK-COUNT-2: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @pairs_of_bits(ptr %p, ptr %q) {
  %a = load i64, ptr %p
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 1
  ret i64 %n
}

; From the other end it is the size of the difference, which carries may change.
; CHECK-LABEL: define i64 @from_the_highest(
; CHECK-COUNT-2: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @from_the_highest(ptr %p, ptr %q) {
  %a = load i64, ptr %p
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.ctlz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 3
  ret i64 %n
}

; The bytes of a pointer are no text, and neither are those of a word with which a number is compared.
; CHECK-LABEL: define i64 @of_a_pointer(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p,
; CHECK: ret i64
define i64 @of_a_pointer(ptr %p, ptr %q) {
  %a = ptrtoint ptr %p to i64
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 3
  ret i64 %n
}

; CHECK-LABEL: define i64 @with_a_number(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @with_a_number(ptr %q, i64 %key) {
  %b = load i64, ptr %q
  %x = xor i64 %key, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 3
  ret i64 %n
}

; CHECK-LABEL: define i64 @with_a_declared_number(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @with_a_declared_number(ptr %p, ptr %q) {
  %a = load i64, ptr %p, !tbaa !0
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 3
  ret i64 %n
}

; Bytes of the function's own local are seen.
; CHECK-LABEL: define i64 @of_a_local(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @of_a_local(ptr %q) {
  %local = alloca [16 x i8], align 8
  call void @fill(ptr %local)
  %a = load i64, ptr %local
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 3
  ret i64 %n
}

; CHECK-LABEL: define i64 @of_an_argument(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret i64
define i64 @of_an_argument(ptr %q, i64 "skein-ambiguous" %a) {
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 3
  ret i64 %n
}

; CHECK-LABEL: define i64 @without_optimisation(
; CHECK-COUNT-2: call void @__skein_address_escapes_c(
; CHECK: ret i64
define i64 @without_optimisation(ptr %p, ptr %q) noinline optnone {
  %a = load i64, ptr %p
  %b = load i64, ptr %q
  %x = xor i64 %a, %b
  %bit = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  %n = lshr i64 %bit, 3
  ret i64 %n
}

!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
