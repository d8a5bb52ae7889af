; Half of a word is read somewhere in a local, of which it is known that full words are written to it. The word around
; what is read is shown, and not the others: one that is not written yet may hold what another frame has left.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @aligned(
; CHECK-NOT: load volatile
; CHECK: %[[AT:.*]] = call ptr @llvm.ptrmask.p0.i64(ptr %at, i64 -8)
; CHECK: load volatile i64, ptr %[[AT]], align 8
; CHECK-NOT: load volatile
; CHECK: %half = load i32, ptr %at
define void @aligned(ptr %from, i64 %i, i64 %n, ptr %q) {
  %both = alloca [544 x i8], align 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %both, ptr align 8 %from, i64 544, i1 false)
  %total = getelementptr inbounds i8, ptr %both, i64 256
  store i64 %n, ptr %total, align 8
  %at = getelementptr inbounds i32, ptr %both, i64 %i
  %half = load i32, ptr %at, align 4
  %changed = xor i32 %half, 5
  store i32 %changed, ptr %q, align 4
  ret void
}

; Here the full word may lie between two aligned ones.
; CHECK-LABEL: define void @unaligned(
; CHECK-COUNT-2: load volatile i64
; CHECK: %half = load i32, ptr %at
define void @unaligned(ptr %from, i64 %i, i64 %n, ptr %q) {
  %both = alloca [544 x i8], align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %both, ptr align 8 %from, i64 544, i1 false)
  %total = getelementptr inbounds i8, ptr %both, i64 256
  store i64 %n, ptr %total, align 4
  %at = getelementptr inbounds i32, ptr %both, i64 %i
  %half = load i32, ptr %at, align 4
  %changed = xor i32 %half, 5
  store i32 %changed, ptr %q, align 4
  ret void
}
