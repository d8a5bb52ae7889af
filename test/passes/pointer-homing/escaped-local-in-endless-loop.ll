; Code that has the address of a local may read it at any time, also when the function never returns.
; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @migrate()
declare void @keep(ptr)

; CHECK-LABEL: define void @serve(
; CHECK:         %local = alloca ptr, align 8, !skein.local
; CHECK:         call void @migrate() #{{.*}}, !heapallocsite ![[SITE:[0-9]+]]
; CHECK:       ![[SITE]] = !{!"skein.site", {{.*}}, ![[LOCALS:[0-9]+]]}
; CHECK:       ![[LOCALS]] = !{i64 0
define void @serve(ptr %p) {
entry:
  %local = alloca ptr, align 8
  store ptr %p, ptr %local, align 8
  call void @keep(ptr %local)
  br label %loop
loop:
  call void @migrate()
  br label %loop
}
