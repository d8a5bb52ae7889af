; FastISel keeps addresses, too, and at -O0 no pass of the optimiser could have done it.
; RUN: %llc -O0 -relocation-model=pic -verify-machineinstrs -stop-after=address-rematerialisation %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr, ptr)

define void @handed_on() #0 {
; CHECK-LABEL: name: handed_on
; CHECK: CALL64pcrel32{{.*}} @f
; CHECK: LEA64r %stack.0.a, 1, $noreg, 0, $noreg
; CHECK: CALL64pcrel32{{.*}} @f
  %a = alloca [4 x i32], align 16
  %p = getelementptr i8, ptr %a, i64 4
  call void @f(ptr %a, ptr %p), !heapallocsite !1
  call void @f(ptr %p, ptr %a), !heapallocsite !1
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
