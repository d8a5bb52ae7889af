; SelectionDAG would share a pointer load from constant memory before a call with one after it.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@table = constant [2 x ptr] [ptr @g, ptr @table]
; CHECK-LABEL: define ptr @f(
; CHECK: load volatile ptr, ptr @table
; CHECK: call void @g()
; CHECK: load volatile ptr, ptr @table
define ptr @f() {
  %a = load ptr, ptr @table
  call void @use(ptr %a)
  call void @g()
  %b = load ptr, ptr @table
  ret ptr %b
}
declare void @use(ptr)
declare void @g()
