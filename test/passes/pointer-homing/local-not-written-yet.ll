; A local is listed only where it may have been written and may still be read. Its lifetime markers are removed.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK-NOT: lifetime
; CHECK: call void @before(){{.*}}, !heapallocsite ![[BEFORE:[0-9]+]]
; CHECK: call void @during(ptr %l){{.*}}, !heapallocsite ![[DURING:[0-9]+]]
; CHECK: call void @after(){{.*}}, !heapallocsite ![[AFTER:[0-9]+]]
; The local has index 0; index 1 is the home of %p.
; CHECK-DAG: ![[BEFORE]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[NONE:[0-9]+]], ![[HOME:[0-9]+]]}
; CHECK-DAG: ![[DURING]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[NONE]], ![[LOCAL:[0-9]+]]}
; CHECK-DAG: ![[AFTER]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[NONE]], ![[NONE]]}
; CHECK-DAG: ![[HOME]] = !{i64 1}
; CHECK-DAG: ![[LOCAL]] = !{i64 0}
define void @f(ptr %p) {
  %l = alloca ptr
  call void @before()
  call void @llvm.lifetime.start.p0(ptr %l)
  store ptr %p, ptr %l
  call void @during(ptr %l)
  call void @llvm.lifetime.end.p0(ptr %l)
  call void @after()
  ret void
}
declare void @before()
declare void @during(ptr)
declare void @after()
