; Many words are written to the local, and parts are read where it is not known. The word around the byte is told, by
; where such words begin modulo 8, and not each word of the local.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @bytes(
; CHECK: %[[BEGIN:.*]] = getelementptr i8, ptr %local, i64 4
; CHECK: %[[LOW:.*]] = and i64 %{{.*}}, 7
; CHECK: load volatile i64, ptr %{{.*}}, align 1, !skein.for_witness
; CHECK-NOT: load volatile
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret void
define void @bytes(<2 x i64> %v, i64 %n, ptr %to) {
  %local = alloca [100 x i8], align 4
  %a = getelementptr inbounds i8, ptr %local, i64 4
  store <2 x i64> %v, ptr %a
  %b = getelementptr inbounds i8, ptr %local, i64 20
  store <2 x i64> %v, ptr %b
  %c = getelementptr inbounds i8, ptr %local, i64 36
  store <2 x i64> %v, ptr %c
  %at = getelementptr inbounds i8, ptr %local, i64 %n
  %byte = load i8, ptr %at, align 1
  %x = xor i8 %byte, 5
  store i8 %x, ptr %to
  ret void
}
