; The address of a local is stored in memory that is neither a local nor a global. A list through frames is not told.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: c"was stored in memory that stays behind in `f`\00"
; CHECK-LABEL: define void @f(
; CHECK: %l = alloca i32
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %l, ptr %h,
; CHECK-NEXT: store ptr %l, ptr %h
; CHECK-NEXT: store ptr %l, ptr %m
; CHECK-NEXT: store ptr %q, ptr %h
define void @f(ptr %q) {
  %l = alloca i32
  %m = alloca ptr
  %h = call ptr @malloc(i64 8)
  store ptr %l, ptr %h
  store ptr %l, ptr %m
  store ptr %q, ptr %h
  ret void
}
declare ptr @malloc(i64)
