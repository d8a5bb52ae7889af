; The runtime is told of a pointer that was made of an address and a number and may lead far away, unless it is only
; followed.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @cast(
; CHECK: %n = add i64 %a, 1125899906842624
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: store ptr %c, ptr %q
define void @cast(ptr %p, ptr %q) {
  %a = ptrtoint ptr %p to i64
  %n = add i64 %a, 1125899906842624
  %c = inttoptr i64 %n to ptr
  store ptr %c, ptr %q
  ret void
}

; CHECK-LABEL: define ptr @element(
; CHECK: %e = getelementptr i8, ptr %p, i64 1125899906842624
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret ptr
define ptr @element(ptr %p) {
  %e = getelementptr i8, ptr %p, i64 1125899906842624
  ret ptr %e
}

; CHECK-LABEL: define void @followed(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @followed(ptr %p, i64 %n) {
  %e = getelementptr i64, ptr %p, i64 %n
  %f = getelementptr i8, ptr %e, i64 16
  call void @callee()
  store i64 0, ptr %f
  ret void
}

; CHECK-LABEL: define ptr @near(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret ptr
define ptr @near(ptr %p, i64 %n) {
  %e = getelementptr i8, ptr %p, i64 -16
  %f = getelementptr inbounds i8, ptr %e, i64 %n
  ret ptr %f
}

; CHECK-LABEL: define void @cast_and_followed(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @cast_and_followed(ptr %p, i64 %n) {
  %a = ptrtoint ptr %p to i64
  %s = add i64 %a, %n
  %c = inttoptr i64 %s to ptr
  store i64 0, ptr %c
  ret void
}

declare void @callee()

; Where the vectorised loop ends and the other one goes on, two addresses meet, and no call comes before they are used.
; CHECK-LABEL: define void @merged(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @merged(ptr %p, i64 %n, i1 %c) {
entry:
  br i1 %c, label %far, label %done
far:
  %e = getelementptr i64, ptr %p, i64 %n
  br label %done
done:
  %m = phi ptr [ %e, %far ], [ %p, %entry ]
  store i64 0, ptr %m
  ret void
}

; CHECK-LABEL: define void @merged_and_kept(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret void
define void @merged_and_kept(ptr %p, i64 %n, i1 %c) {
entry:
  br i1 %c, label %far, label %done
far:
  %e = getelementptr i64, ptr %p, i64 %n
  br label %done
done:
  %m = phi ptr [ %e, %far ], [ %p, %entry ]
  call void @callee()
  store i64 0, ptr %m
  ret void
}
