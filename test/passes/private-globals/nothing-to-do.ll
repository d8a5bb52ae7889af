; Without private variables nothing changes.
; RUN: %opt -passes=private-marking,private-globals,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: @x = global i32 1{{$}}
; CHECK-NOT: skein
@x = global i32 1
define i32 @f() {
  %v = load i32, ptr @x
  ret i32 %v
}
