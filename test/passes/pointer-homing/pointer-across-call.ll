; A pointer used after the call crosses it in a home slot that the site lists; its use is a reload.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @f(
; CHECK: %[[HOME:.*]] = alloca ptr, align 8, !skein.local ![[LOCAL:[0-9]+]]
; CHECK: store ptr %p, ptr %[[HOME]]
; CHECK: call void @g(){{.*}}, !heapallocsite ![[SITE:[0-9]+]]
; CHECK: %[[RELOAD:.*]] = load ptr, ptr %[[HOME]]
; CHECK: load i32, ptr %[[RELOAD]]
; Index 0, one group: a pointer at offset 0.
; CHECK-DAG: ![[LOCAL]] = !{i64 0, i64 0, i64 0, i64 8, i64 1}
; CHECK-DAG: ![[SITE]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[NONE:[0-9]+]], ![[LIVE:[0-9]+]]}
; CHECK-DAG: ![[NONE]] = !{}
; CHECK-DAG: ![[LIVE]] = !{i64 0}
define i32 @f(ptr %p) {
  call void @g()
  %v = load i32, ptr %p
  ret i32 %v
}
declare void @g()
