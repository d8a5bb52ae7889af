; An argument that does not fit into a word is an error with a reason.
; RUN: not %opt -passes=spawn-lowering -S %s 2>&1 | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: skein_spawn cannot pass argument 1: only integers, pointers, float and double travel
define i64 @f(i128 %n) {
  %t = call i64 (ptr, i32, ...) @skein_spawn_(ptr @f, i32 0, i128 %n)
  ret i64 %t
}
declare i64 @skein_spawn_(ptr, i32, ...)
