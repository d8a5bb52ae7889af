; Before the optimiser runs an argument is stored where it was declared: as part of a struct with a union it may be an address, as a
; number of its own it is none.
; RUN: %opt -passes=source-facts,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.tagged = type { i64, %union.value }
%union.value = type { double }
%struct.numbers = type { i64, i64 }

; CHECK: define void @tagged(i64 %kind, double "skein-ambiguous" %value)
define void @tagged(i64 %kind, double %value) {
  %s = alloca %struct.tagged
  store i64 %kind, ptr %s
  %second = getelementptr inbounds { i64, double }, ptr %s, i32 0, i32 1
  store double %value, ptr %second
  ret void
}

; CHECK: define void @numbers(i64 %a, i64 %b)
define void @numbers(i64 %a, i64 %b) {
  %s = alloca %struct.numbers
  store i64 %a, ptr %s
  %second = getelementptr inbounds { i64, i64 }, ptr %s, i32 0, i32 1
  store i64 %b, ptr %second
  ret void
}
