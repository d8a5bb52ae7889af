; The word that a part was read from is its witness. It is read again where the witness is stored, through merges of
; addresses that the program has anyway; if something may write before, it is read with the part, and merged.
; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @migrate()
declare void @use(i8)

; CHECK-LABEL: define void @parser(
; CHECK-NOT:     skein.seen
; CHECK:       loop:
; CHECK-NEXT:    %at = phi ptr
; CHECK-NEXT:    %c = phi i8
; CHECK-NEXT:    %next = getelementptr
; CHECK-NEXT:    %d = load i8
; CHECK-NEXT:    %again = icmp
; CHECK-NEXT:    br
; CHECK:       done:
; CHECK-NEXT:    %[[WORD:.*]] = call ptr @llvm.ptrmask.p0.i64(ptr %at, i64 -8)
; CHECK-NEXT:    %[[CONTENT:.*]] = load volatile i64, ptr %[[WORD]], align 8
; CHECK-NEXT:    store volatile i64 %[[CONTENT]], ptr %skein.witness
; CHECK-NEXT:    call void @migrate()
define void @parser(ptr %text) {
entry:
  %first = load i8, ptr %text, align 1
  br label %loop
loop:
  %at = phi ptr [ %text, %entry ], [ %next, %loop ]
  %c = phi i8 [ %first, %entry ], [ %d, %loop ]
  %next = getelementptr inbounds i8, ptr %at, i64 1
  %d = load i8, ptr %next, align 1
  %again = icmp eq i8 %d, 32
  br i1 %again, label %loop, label %done
done:
  call void @migrate()
  call void @use(i8 %c)
  ret void
}

; The store after %d comes before the next iteration, in which %d has become %c.
; CHECK-LABEL: define void @written(
; CHECK:       entry:
; CHECK:         %[[FIRST:.*]] = load volatile i64
; CHECK:       loop:
; CHECK-DAG:     %[[MERGED:.*]] = phi i64 [ %[[FIRST]], %entry ], [ %[[MORE:.*]], %loop ]
; CHECK:         %[[MORE]] = load volatile i64
; CHECK-NEXT:    %d = load i8
; CHECK-NEXT:    store i8 0, ptr %next
; CHECK:       done:
; CHECK-NEXT:    store volatile i64 %[[MERGED]], ptr %skein.witness
; CHECK-NEXT:    call void @migrate()
define void @written(ptr %text) {
entry:
  %first = load i8, ptr %text, align 1
  br label %loop
loop:
  %at = phi ptr [ %text, %entry ], [ %next, %loop ]
  %c = phi i8 [ %first, %entry ], [ %d, %loop ]
  %next = getelementptr inbounds i8, ptr %at, i64 1
  %d = load i8, ptr %next, align 1
  store i8 0, ptr %next, align 1
  %again = icmp eq i8 %d, 32
  br i1 %again, label %loop, label %done
done:
  call void @migrate()
  call void @use(i8 %c)
  ret void
}

; A call may write, too, and what is null in the beginning has no address.
; CHECK-LABEL: define void @calls(
; CHECK:       loop:
; CHECK-DAG:     %[[MERGED:.*]] = phi i64 [ 0, %entry ], [ %[[MORE:.*]], %loop ]
; CHECK:         store volatile i64 %[[MERGED]], ptr %skein.witness
; CHECK-NEXT:    call void @migrate()
; CHECK:         %[[MORE]] = load volatile i64
define void @calls(ptr %text) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %text, %entry ], [ %next, %loop ]
  %c = phi i8 [ 0, %entry ], [ %d, %loop ]
  call void @migrate()
  call void @use(i8 %c)
  %next = getelementptr inbounds i8, ptr %at, i64 1
  %d = load i8, ptr %next, align 1
  %again = icmp eq i8 %d, 32
  br i1 %again, label %loop, label %done
done:
  ret void
}
