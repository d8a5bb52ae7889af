; A function keeps an address that is passed to it as a number. Code that reads the number finds an address, so in this
; module no type is evidence.
; RUN: %opt -passes=address-signatures,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define internal void @keep(ptr %to, i64 "skein-address" %n) #[[KEEPS:[0-9]+]]
define internal void @keep(ptr %to, i64 %n) {
  store i64 %n, ptr %to
  ret void
}

; CHECK: define void @other(ptr %to, ptr %p) #[[KEEPS]]
define void @other(ptr %to, ptr %p) {
  %n = ptrtoint ptr %p to i64
  call void @keep(ptr %to, i64 %n)
  ret void
}

; CHECK: attributes #[[KEEPS]] = { "skein-address-integers" }
