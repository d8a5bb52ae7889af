; The address of a local goes to a global that another module defines. If its type is that of a number, it is not
; searched.
; RUN: %opt -passes='escaping-addresses,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@number = external global double
@holder = external global ptr

; CHECK-LABEL: define void @numbers(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %l, ptr @number,
; CHECK: ret void
define void @numbers() {
  %l = alloca i64
  store ptr %l, ptr @number
  ret void
}

; CHECK-LABEL: define void @pointers(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @pointers() {
  %l = alloca i64
  store ptr %l, ptr @holder
  ret void
}
