; A pointer is made of an integer that is not proved to be an address. So in this module no type is evidence, in any
; function.
; RUN: %opt -passes=address-signatures,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define ptr @makes_pointer(i64 %n) #[[KEEPS:[0-9]+]]
define ptr @makes_pointer(i64 %n) {
  %p = inttoptr i64 %n to ptr
  ret ptr %p
}

; CHECK: define {{.*}}i64 @other(ptr %p) #[[KEEPS]]
define i64 @other(ptr %p) {
  %n = load i64, ptr %p
  ret i64 %n
}

; CHECK: attributes #[[KEEPS]] = { "skein-address-integers" }
