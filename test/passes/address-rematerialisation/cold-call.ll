; An address that is used in a loop whose only call is rare is computed again behind the call, not in each iteration.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=address-rematerialisation %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@table = internal global [64 x i64] zeroinitializer
declare void @poll()

; CHECK-LABEL: name: lookups
; CHECK: bb.0.entry:
; CHECK: %[[FIRST:[0-9]+]]:gr64{{.*}} = LEA64r $rip, 1, $noreg, @table
; CHECK: bb.{{[0-9]}}.loop:
; CHECK-NOT: LEA64r $rip
; CHECK: PHI %[[FIRST]], %bb.0, %{{[0-9]+}}, %bb.
; CHECK-NOT: LEA64r $rip
; CHECK: bb.{{[0-9]}}.rare:
; CHECK: CALL64pcrel32{{.*}} @poll
; CHECK: LEA64r $rip, 1, $noreg, @table
; CHECK-NOT: LEA64r
define i64 @lookups(i64 %from, ptr %flag) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ %from, %entry ], [ %next, %again ]
  %at = getelementptr [64 x i64], ptr @table, i64 0, i64 %i
  %next = load i64, ptr %at
  %more = icmp ne i64 %next, 0
  br i1 %more, label %look, label %out
look:
  %word = load volatile i8, ptr addrspace(257) null
  %wanted = icmp ne i8 %word, 0
  br i1 %wanted, label %rare, label %again, !prof !3
rare:
  call void @poll(), !heapallocsite !1
  br label %again
again:
  br label %loop
out:
  ret i64 %i
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{!"branch_weights", i32 1, i32 2000}
