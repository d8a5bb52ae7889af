; An address that is changed where it lies, by an atomic operation or inline assembly, can no longer be found by its
; looks. The runtime is told of the word before that.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @g(ptr)

; CHECK-LABEL: define void @atomic(
; CHECK: load volatile i64
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: atomicrmw xor
define void @atomic(ptr %place, i64 %key) {
  atomicrmw xor ptr %place, i64 %key seq_cst, align 8
  ret void
}

; Nothing is told of a tag, a counter, and a word that is declared as a number.
; CHECK-LABEL: define void @numbers(
; CHECK-NOT: call
; CHECK: ret void
define void @numbers(ptr %place, i64 %key) {
  atomicrmw or ptr %place, i64 3 seq_cst, align 8
  atomicrmw and ptr %place, i64 -8 seq_cst, align 8
  atomicrmw add ptr %place, i64 1 seq_cst, align 8
  atomicrmw add ptr %place, i64 %key seq_cst, align 8, !tbaa !0
  ret void
}

; CHECK-LABEL: define void @assembly(
; CHECK: load volatile i64
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: call void asm
define void @assembly(ptr %place) {
  call void asm "notq $0", "=*m,*m,~{dirflag},~{fpsr},~{flags}"(ptr elementtype(i64) %place, ptr elementtype(i64) %place)
  ret void
}

; CHECK-LABEL: define void @hidden_to_assembly(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p,
; CHECK: call void asm
define void @hidden_to_assembly(ptr %p, ptr %place, i64 %key) {
  %a = ptrtoint ptr %p to i64
  %h = xor i64 %a, %key
  call void asm "movq $1, $0", "=*m,r,~{dirflag},~{fpsr},~{flags}"(ptr elementtype(i64) %place, i64 %h)
  ret void
}

; CHECK-LABEL: define void @byte(
; CHECK: store ptr
; CHECK: load volatile i64
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: atomicrmw xor ptr {{.*}}, i8
define void @byte(ptr %p, i8 %key) {
  %v = alloca ptr
  store ptr %p, ptr %v
  %low = getelementptr i8, ptr %v, i64 2
  atomicrmw xor ptr %low, i8 %key seq_cst
  call void @g(ptr %v)
  ret void
}

; The runtime ignores a tag in the two high bytes.
; CHECK-LABEL: define void @tag(
; CHECK-NOT: call preserve_mostcc
; CHECK: ret void
define void @tag(ptr %p, i16 %tag) {
  %v = alloca ptr
  store ptr %p, ptr %v
  %high = getelementptr i8, ptr %v, i64 6
  store i16 %tag, ptr %high
  call void @g(ptr %v)
  ret void
}

; An operation that destroys the address, or stores a new word, hides no address.
; CHECK-LABEL: define void @other_bytes(
; CHECK-NOT: call preserve_mostcc
; CHECK: ret void
define void @other_bytes(ptr %p, i16 %n) {
  %v = alloca { ptr, i16 }
  store ptr %p, ptr %v
  %middle = getelementptr i8, ptr %v, i64 2
  store i16 %n, ptr %middle
  %behind = getelementptr i8, ptr %v, i64 8
  store i16 %n, ptr %behind
  call void @g(ptr %v)
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
