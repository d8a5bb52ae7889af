; Words are copied from a block of variable size, which is not looked through, to a local that is read in parts.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: %[[AT:.*]] = getelementptr i8, ptr %h, i64 0
; CHECK: load volatile i64, ptr %[[AT]], align 1
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: %half = load i32, ptr %h
define void @f(i64 %n, ptr %p, ptr %q) {
  %h = alloca [2 x i32], align 4
  %words = alloca i64, i64 %n, align 16
  store ptr %p, ptr %words, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %h, ptr %words, i64 8, i1 false)
  %half = load i32, ptr %h, align 4
  %x = xor i32 %half, 5
  store i32 %x, ptr %q, align 4
  ret void
}
