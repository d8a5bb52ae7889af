; One function for each rule that says what may be an address, or what becomes of one: without the rule there is no witness
; (test/fuzz/faults.py takes them away one at a time).
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @f()
declare void @fills(ptr)
declare i64 @unseen()
declare void @variadic(ptr, ...)
@global = global i64 0

; The word may be whatever another thread has put there.
; CHECK-LABEL: @result_of_atomic(
; CHECK: store volatile i64 %old, ptr %skein.witness
; CHECK: call void @f()
define i64 @result_of_atomic(ptr %cell) {
  %old = atomicrmw xchg ptr %cell, i64 0 seq_cst
  call void @f()
  %r = mul i64 %old, %old
  ret i64 %r
}

; A function without a body here may return anything.
; CHECK-LABEL: @result_of_unseen(
; CHECK: store volatile i64 %r, ptr %skein.witness
; CHECK: call void @f()
define i64 @result_of_unseen() {
  %r = call i64 @unseen()
  call void @f()
  %s = mul i64 %r, %r
  ret i64 %s
}

; The tag of char is also the tag of accesses that may be to anything.
; CHECK-LABEL: @character(
; CHECK: store volatile i64 %r, ptr %skein.witness
; CHECK: call void @f()
define i64 @character(ptr %p) {
  %r = load i64, ptr %p, !tbaa !1
  call void @f()
  %s = mul i64 %r, %r
  ret i64 %s
}

%union.u = type { i64 }

; Without the optimiser the type of the address is evidence, but not if it is one member of a union.
; CHECK-LABEL: @member_of_union(
; CHECK: store volatile i64 %r, ptr %skein.witness
; CHECK: call void @f()
define i64 @member_of_union(ptr %p) noinline optnone {
  %m = getelementptr inbounds %union.u, ptr %p, i32 0, i32 0
  %r = load i64, ptr %m
  call void @f()
  %s = mul i64 %r, %r
  ret i64 %s
}

; Of a difference between the stack and the program only one half moves.
; CHECK-LABEL: @two_kinds(
; CHECK: store volatile ptr @global, ptr
; CHECK: store volatile ptr %local, ptr
; CHECK: call void @f()
define i1 @two_kinds(i64 %n) {
  %local = alloca i64
  %a = ptrtoint ptr %local to i64
  %d = sub i64 %a, ptrtoint (ptr @global to i64)
  call void @f()
  %c = icmp ult i64 %d, %n
  ret i1 %c
}

; The program moves by 4 KiB, so the low 12 bits are invariant and no others.
; CHECK-LABEL: @high_bits(
; CHECK: store volatile ptr %p, ptr %skein.witness
; CHECK: call void @f()
define i64 @high_bits(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %m = and i64 %a, 65535
  call void @f()
  ret i64 %m
}

; A tag that reaches higher is none.
; CHECK-LABEL: @wide_tag(
; CHECK: store volatile ptr %p, ptr %skein.witness
; CHECK: call void @f()
define i64 @wide_tag(ptr %p, i64 %n) {
  %a = ptrtoint ptr %p to i64
  %t = and i64 %n, 1048575
  %m = or i64 %a, %t
  call void @f()
  %h = mul i64 %m, %m
  ret i64 %h
}

; Three times an address is no address.
; CHECK-LABEL: @multiple(
; CHECK: store volatile ptr %p, ptr %skein.witness
; CHECK: call void @f()
define i64 @multiple(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %m = mul i64 %a, 3
  call void @f()
  ret i64 %m
}

; A difference of integers may be one between two objects: a few instructions look.
; CHECK-LABEL: @doubtful(
; CHECK: select i1
; CHECK: store volatile ptr %{{[0-9]+}}, ptr %skein.witness
; CHECK: call void @f()
define i64 @doubtful(ptr %p, ptr %q) {
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  %d = sub nsw i64 %a, %b
  call void @f()
  ret i64 %d
}

; Code that fills a struct may copy anything there, whatever its members are.
; CHECK-LABEL: @filled_by_others(
; CHECK: store volatile i64 %n, ptr %skein.witness
; CHECK: call void @f()
define i64 @filled_by_others() {
  %s = alloca { i64, i64 }
  call void @fills(ptr %s)
  %m = getelementptr i8, ptr %s, i64 8
  %n = load i64, ptr %m, !tbaa !4
  call void @f()
  %r = mul i64 %n, %n
  ret i64 %r
}

; It is not known what the callee takes it for.
; CHECK-LABEL: @variadic_word(
; CHECK: store volatile i64 %w, ptr %skein.witness
; CHECK: call void (ptr, ...) @variadic
define void @variadic_word(ptr %p) {
  %w = load i64, ptr %p
  call void (ptr, ...) @variadic(ptr null, i64 %w)
  ret void
}
!1 = !{!2, !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
!4 = !{!5, !5, i64 0}
!5 = !{!"long", !2, i64 0}
