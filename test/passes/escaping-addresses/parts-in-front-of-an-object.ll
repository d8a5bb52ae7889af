; Half of the word that lies in front of an object, as programs read it by `words[-sizeof(long)]`. The index is unsigned,
; so the optimiser has noted that the sum does not wrap around. From that it would follow that its mask is the constant
; -8, and no address.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
; RUN: %opt -passes=escaping-addresses %s -o %t.bc
; RUN: %llc -O2 %t.bc -o - | FileCheck %s --check-prefix=CODE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @half(
; CHECK: %at = getelementptr inbounds i8, ptr %value, i64 -8
; CHECK: call ptr @llvm.ptrmask.p0.i64(ptr %at, i64 -8)
; CODE-LABEL: half:
; CODE: andq $-8,
define void @half(ptr %value, ptr %q) {
  %at = getelementptr inbounds nuw i8, ptr %value, i64 -8
  %h = load i32, ptr %at, align 4
  %n = xor i32 %h, 5
  store i32 %n, ptr %q, align 4
  ret void
}

; What lies behind its beginning needs no change, and neither does an index that may be anything.
; CHECK-LABEL: define void @inside(
; CHECK: %at = getelementptr inbounds nuw i8, ptr %value, i64 16
; CHECK: %far = getelementptr nuw i8, ptr %value, i64 %i
define void @inside(ptr %value, i64 %i, ptr %q) {
  %at = getelementptr inbounds nuw i8, ptr %value, i64 16
  %h = load i32, ptr %at, align 4
  %far = getelementptr nuw i8, ptr %value, i64 %i
  %f = load i32, ptr %far, align 4
  %n = xor i32 %h, %f
  store i32 %n, ptr %q, align 4
  ret void
}
