; Numbers are made of addresses of the program, and the runtime is told of them if it wants to know. One that may lead
; anywhere is compared with a limit that the runtime sets.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@object = global i64 5
@integer = global i64 0

; CHECK-LABEL: define void @hash(
; CHECK: %h = mul i64 ptrtoint (ptr @object to i64), 1234567
; CHECK-NEXT: %[[WATCHED:[0-9]+]] = load i64, ptr getelementptr (i8, ptr @__skein_watch, i64 8)
; CHECK-NEXT: %[[IS:[0-9]+]] = icmp ne i64 %[[WATCHED]], 0
; CHECK-NEXT: br i1 %[[IS]]
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr @object, ptr null, ptr @{{[0-9]+}})
; CHECK: store i64 %h, ptr %q
define void @hash(ptr %q) {
  %h = mul i64 ptrtoint (ptr @object to i64), 1234567
  store i64 %h, ptr %q
  ret void
}

; CHECK-LABEL: define void @half(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr @object,
; CHECK: store i32 ptrtoint
define void @half(ptr %q) {
  store i32 trunc (i64 ptrtoint (ptr @object to i64) to i32), ptr %q
  ret void
}

; This is a plain address that others may read as a number.
; CHECK-LABEL: define void @plain(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr @hash,
; CHECK: store i64 ptrtoint (ptr @hash to i64), ptr @integer
define void @plain() {
  store i64 ptrtoint (ptr @hash to i64), ptr @integer
  ret void
}

; CHECK-LABEL: define void @anywhere(
; CHECK: %[[LIMIT:[0-9]+]] = load i64, ptr @__skein_watch
; CHECK-NEXT: icmp ult i64 %{{[0-9]+}}, %[[LIMIT]]
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: store i64 %h, ptr %q
define void @anywhere(ptr %from, ptr %q) {
  %a = load i64, ptr %from
  %h = mul i64 %a, 1234567
  store i64 %h, ptr %q
  ret void
}

; Here the address stays a pointer, or is part of a difference.
; CHECK-LABEL: define void @nothing(
; CHECK-NOT: skein
; CHECK: ret void
define void @nothing(ptr %q) {
  store ptr @object, ptr %q
  store i64 sub (i64 ptrtoint (ptr @object to i64), i64 ptrtoint (ptr @integer to i64)), ptr %q
  ret void
}
