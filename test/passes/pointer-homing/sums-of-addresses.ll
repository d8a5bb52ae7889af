; What is computed of several addresses, or in steps that seem linear and are not, has witnesses. One function for each rule
; (test/fuzz/faults.py takes them away one at a time).
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @f()
declare <8 x i64> @llvm.masked.expandload.v8i64(ptr, <8 x i1>, <8 x i64>)
@global = global i64 0

; In 32 bits it is as in 64: only one half of the difference moves.
; CHECK-LABEL: @low_halves(
; CHECK: store volatile ptr %local, ptr
; CHECK: call void @f()
define i32 @low_halves() {
  %local = alloca i64
  %a = ptrtoint ptr %local to i64
  %l = trunc i64 %a to i32
  %d = sub i32 %l, ptrtoint (ptr @global to i32)
  call void @f()
  ret i32 %d
}

; The witness of half an address of the program is the address.
; CHECK-LABEL: @half_of_program(
; CHECK: store volatile ptr @global, ptr %skein.witness
; CHECK: call void @f()
define i32 @half_of_program() {
  %m = mul i32 ptrtoint (ptr @global to i32), 5
  call void @f()
  ret i32 %m
}

; A negated address is added.
; CHECK-LABEL: @negated(
; CHECK: store volatile ptr %local, ptr
; CHECK: call void @f()
define i64 @negated() {
  %local = alloca i64
  %a = ptrtoint ptr %local to i64
  %n = sub i64 0, ptrtoint (ptr @global to i64)
  %d = add i64 %a, %n
  call void @f()
  %r = mul i64 %d, %d
  ret i64 %r
}

; Only at run time is it seen where the addresses lead: some are near the frame, others not.
; CHECK-LABEL: @sum(
; CHECK: store volatile ptr @sum, ptr %skein.witness
; CHECK: subq %rsp
; CHECK: subq %rsp
; CHECK: store volatile ptr %{{.*}}, ptr %skein.witness
; CHECK: call void @f()
define i64 @sum(ptr %p, ptr %q) {
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  %s = add i64 %a, %b
  %m = lshr i64 %s, 1
  call void @f()
  %r = mul i64 %m, %m
  ret i64 %r
}

; The phi may be either half, so it is not known of which addresses the difference is.
; CHECK-LABEL: @unseen_half(
; CHECK-DAG: store volatile ptr %p, ptr
; CHECK-DAG: store volatile ptr %q, ptr
; CHECK: call void @f()
define i32 @unseen_half(ptr %p, ptr %q, i1 %c) {
  %a = ptrtoint ptr %p to i32
  %b = ptrtoint ptr %q to i32
  br i1 %c, label %one, label %two
one:
  br label %two
two:
  %h = phi i32 [ %a, %0 ], [ %b, %one ]
  %d = sub i32 %h, %a
  call void @f()
  ret i32 %d
}

; If a number is part of the dividend, the quotient is no address.
; CHECK-LABEL: @divided(
; CHECK: store volatile ptr %p, ptr %skein.witness
; CHECK: call void @f()
define i64 @divided(ptr %p, i64 %key) {
  %a = ptrtoint ptr %p to i64
  %m = mul i64 %a, 8
  %s = add i64 %m, %key
  %d = lshr i64 %s, 3
  call void @f()
  %r = mul i64 %d, %d
  ret i64 %r
}

; A tag is made of the address.
; CHECK-LABEL: @checksum(
; CHECK: store volatile ptr %p, ptr %skein.witness
; CHECK: call void @f()
define i64 @checksum(ptr align 16 %p) {
  %a = ptrtoint ptr %p to i64
  %h = mul i64 %a, 7046029254386353131
  %t = lshr i64 %h, 60
  %v = or i64 %a, %t
  call void @f()
  ret i64 %v
}

; This compares a word that may be an address with a number, which is one step of a search for it.
; CHECK-LABEL: @order(
; CHECK: store volatile i64 %w, ptr %skein.witness
; CHECK: call void @f()
define i1 @order(ptr %p, i64 %n) {
  %w = load i64, ptr %p
  %c = icmp ult i64 %w, %n
  call void @f()
  ret i1 %c
}

; These words are read by an intrinsic.
; CHECK-LABEL: @expanded(
; CHECK: store volatile <8 x i64> %w, ptr %skein.witness
; CHECK: call void @f()
define <8 x i64> @expanded(ptr %p, <8 x i1> %mask) {
  %w = call <8 x i64> @llvm.masked.expandload.v8i64(ptr %p, <8 x i1> %mask, <8 x i64> zeroinitializer)
  %v = shl <8 x i64> %w, splat (i64 3)
  call void @f()
  ret <8 x i64> %v
}

; These numbers in a dynamic array of structs with pointers are addresses.
; CHECK-LABEL: @structs(
; CHECK: call void @f()
; CHECK: = !{i64 0, i64 0, i64 0, i64 8, i64 1, i64 2, i64 0, i64 16, i64 16, i64 3, i64 0, i64 16, i64 24,
%struct.s = type { ptr, i64 }
define void @structs(i64 %n, i64 %i) {
  %v = alloca %struct.s, i64 %n
  %p = getelementptr inbounds %struct.s, ptr %v, i64 %i
  %m = getelementptr inbounds i8, ptr %p, i64 8
  %a = ptrtoint ptr %p to i64
  store ptr %p, ptr %p
  store i64 %a, ptr %m
  call void @f()
  ret void
}
