; The address of a thread-local variable belongs to the kernel thread: computed again after the call.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@v = thread_local global [4 x i32] zeroinitializer
; CHECK-LABEL: define i32 @f(
; CHECK-NOT: home
; CHECK: call void @g()
; CHECK: %[[AGAIN:.*]] = call ptr @llvm.threadlocal.address.p0(ptr @v)
; CHECK: %[[ELEMENT:.*]] = getelementptr i8, ptr %[[AGAIN]], i64 8
; CHECK: load i32, ptr %[[ELEMENT]]
define i32 @f() {
  %t = call ptr @llvm.threadlocal.address.p0(ptr @v)
  %e = getelementptr i8, ptr %t, i64 8
  store i32 1, ptr %e
  call void @g()
  %x = load i32, ptr %e
  ret i32 %x
}
declare void @g()
declare ptr @llvm.threadlocal.address.p0(ptr)
