; What is collected for a value begins anew where nothing is alive that the value is computed from. So the cases of an
; interpreter do not carry each other's witnesses around its loop; but a sum keeps its witness as long as it grows.
; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @migrate()
declare void @use(i64)

; CHECK-LABEL: define void @interpreter(
; CHECK:       loop:
; CHECK-NOT:     phi ptr [ null
; CHECK:         switch i8
; CHECK:       add:
; CHECK:         %s = add i64 %a, %b
; CHECK:         subq %rsp
; CHECK:         store volatile ptr %{{.*}}, ptr %skein.witness
; CHECK:         call void @migrate()
define void @interpreter(ptr %code, ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  %pc = phi i64 [ 0, %entry ], [ %more, %next ]
  %at = getelementptr inbounds i8, ptr %code, i64 %pc
  %op = load i8, ptr %at, align 1, !tbaa !0
  switch i8 %op, label %next [
    i8 1, label %add
    i8 2, label %end
  ]
add:
  %x = load ptr, ptr %p
  %y = load ptr, ptr %q
  %a = ptrtoint ptr %x to i64
  %b = ptrtoint ptr %y to i64
  %s = add i64 %a, %b
  %m = lshr i64 %s, 1
  call void @migrate()
  %r = mul i64 %m, %m
  call void @use(i64 %r)
  br label %next
next:
  %more = add i64 %pc, 1
  br label %loop
end:
  ret void
}

; The sum grows from round to round, so its witness is null only in front of the loop.
; CHECK-LABEL: define void @growing(
; CHECK:       loop:
; CHECK-DAG:     phi ptr [ null, %entry ]
; CHECK-DAG:     %sum = phi i64
; CHECK:         br i1
define void @growing(ptr %p, ptr %q, i64 %count) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %grown, %loop ]
  %x = load ptr, ptr %p
  %y = load ptr, ptr %q
  %a = ptrtoint ptr %x to i64
  %b = ptrtoint ptr %y to i64
  %s = add i64 %a, %b
  %m = lshr i64 %s, 1
  %grown = xor i64 %sum, %m
  %next = add i64 %n, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %done
done:
  call void @migrate()
  call void @use(i64 %grown)
  ret void
}

; Two parts of words are read once in each round, so their words are kept without looking at those before. Two values that
; are made of them share the slots.
; CHECK-LABEL: define void @once(
; CHECK:       entry:
; CHECK-COUNT-2: store volatile i64 0, ptr %skein.seen
; CHECK:       loop:
; CHECK-NOT:     load volatile i64, ptr %skein.seen
; CHECK:         store volatile i64 %{{.*}}, ptr %[[ONE:skein.seen[0-9]*]]
; CHECK-NOT:     load volatile i64, ptr %skein.seen
; CHECK:         store volatile i64 %{{.*}}, ptr %[[OTHER:skein.seen[0-9]*]]
; CHECK-NOT:     ptr %skein.seen
; CHECK:         ret void
define void @once(ptr %text, ptr %to, i1 %which) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i8, ptr %text, i64 %n
  %b = load i8, ptr %at, align 1
  %beside = getelementptr inbounds i8, ptr %at, i64 32
  %k = load i8, ptr %beside, align 1
  %c = mul i8 %b, %k
  br i1 %which, label %one, label %join
one:
  br label %join
join:
  %d = phi i8 [ %c, %loop ], [ 7, %one ]
  %e = phi i8 [ %c, %loop ], [ 8, %one ]
  store i8 0, ptr %to
  call void @migrate()
  %f = xor i8 %d, %e
  %g = zext i8 %f to i64
  call void @use(i64 %g)
  %next = add i64 %n, 1
  %again = icmp ult i64 %next, 100
  br i1 %again, label %loop, label %done
done:
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"int", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
