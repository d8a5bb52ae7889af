; MachineCSE keeps one address of %a for both calls and the code behind them. Each call gets its own.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=address-rematerialisation %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr)

define i32 @both_calls(i32 %i) #0 {
; CHECK-LABEL: name: both_calls
; CHECK: [[FIRST:%[0-9]+]]:gr64 = LEA64r %stack.0.a, 1, $noreg, 0, $noreg
; CHECK-NEXT: $rdi = COPY [[FIRST]]
; CHECK: CALL64pcrel32{{.*}} @f
; CHECK: [[SECOND:%[0-9]+]]:gr64 = LEA64r %stack.0.a, 1, $noreg, 0, $noreg
; CHECK-NEXT: $rdi = COPY [[SECOND]]
; CHECK: CALL64pcrel32{{.*}} @f
; CHECK-NOT: LEA64r
  %a = alloca [4 x i32], align 16
  call void @f(ptr %a), !heapallocsite !1
  call void @f(ptr %a), !heapallocsite !1
  %v = load i32, ptr %a
  ret i32 %v
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
