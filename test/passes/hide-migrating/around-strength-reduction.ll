; Strength reduction in code generation leaves a function with a site alone, and works on the one without.
; RUN: %llc -O2 -stop-after=show-migrating %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @without(
; CHECK: lsr.iv
define i64 @without(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %three = mul i64 %i, 24
  %p = getelementptr i8, ptr %a, i64 %three
  %x = load i64, ptr %p
  %more = add i64 %sum, %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret i64 %more
}
; CHECK-LABEL: define i64 @with(
; CHECK-NOT: lsr.iv
; CHECK: declare void @g()
; CHECK-NOT: {{optnone|skein-hidden}}
define i64 @with(ptr %a, i64 %n) {
entry:
  call void @g(), !heapallocsite !0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %three = mul i64 %i, 24
  %p = getelementptr i8, ptr %a, i64 %three
  %x = load i64, ptr %p
  %more = add i64 %sum, %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret i64 %more
}
declare void @g()
!0 = !{!"skein.site", i64 0, i64 0, i64 0, !1, !1}
!1 = !{}
!llvm.module.flags = !{!2}
!2 = !{i32 2, !"Debug Info Version", i32 3}
