; The callee reads all words of the local in parts. Those of a long row are looked at by the runtime; single ones, and
; those of a short row, are compared here.
; RUN: %opt -passes='address-signatures,function(escaping-addresses),verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define internal i32 @checksum(ptr %bytes) noinline {
entry:
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr inbounds i8, ptr %bytes, i64 %n
  %c = load i8, ptr %at, align 1
  %w = zext i8 %c to i32
  %m = mul i32 %sum, 31
  %more = add i32 %m, %w
  %next = add i64 %n, 1
  %again = icmp ult i64 %next, 64
  br i1 %again, label %loop, label %done
done:
  ret i32 %more
}

; CHECK-LABEL: define i32 @long(
; CHECK: %[[FIRST:.*]] = getelementptr i8, ptr %local, i64 0
; CHECK: call void @__skein_words_escape(ptr %[[FIRST]], i64 16, ptr
; CHECK-NEXT: call i32 @checksum(
define i32 @long(ptr %from) {
  %local = alloca [128 x i8], align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %from, i64 128, i1 false)
  %s = call i32 @checksum(ptr %local)
  ret i32 %s
}

; CHECK-LABEL: define i32 @short(
; CHECK-NOT: __skein_words_escape
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: call i32 @checksum(
define i32 @short(ptr %from) {
  %local = alloca [16 x i8], align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %from, i64 16, i1 false)
  %s = call i32 @checksum(ptr %local)
  ret i32 %s
}
