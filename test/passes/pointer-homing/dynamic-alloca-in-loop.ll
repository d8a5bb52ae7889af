; One descriptor cannot name many blocks: pinned, with a warning.
; RUN: %opt -passes=pointer-homing,verify -S %s 2>%t | FileCheck %s
; RUN: FileCheck --check-prefix=WARNING %s < %t
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; WARNING: it allocates stack memory in a loop
; CHECK: call void @g(ptr %a){{.*}}, !heapallocsite ![[SITE:[0-9]+]]
; CHECK: ![[SITE]] = !{!"skein.site", i64 4,
define void @f(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = alloca ptr, i64 %n
  call void @g(ptr %a)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}
declare void @g(ptr)
