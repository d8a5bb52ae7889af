; A frame that may be returned to twice pins its thread.
; RUN: %opt -passes=pointer-homing,verify -S %s 2>%t | FileCheck %s
; RUN: FileCheck --check-prefix=WARNING %s < %t
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; WARNING: the function calls a function that returns twice and is not setjmp
; CHECK-NOT: home
; CHECK: call void @g(){{.*}}, !heapallocsite ![[SITE:[0-9]+]]
; CHECK: ![[SITE]] = !{!"skein.site", i64 2,
define void @f(ptr %p) {
  %r = call i32 @vfork_like(ptr %p) returns_twice
  call void @g()
  store i32 %r, ptr %p
  ret void
}
declare i32 @vfork_like(ptr) returns_twice
declare void @g()
