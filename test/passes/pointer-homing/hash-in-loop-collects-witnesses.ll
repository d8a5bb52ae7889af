; A value that a loop made of unknown words lives across a call. A slot, null at first, keeps the first of the words
; that may have been an address of this stack, or otherwise the last one. Addresses of the program may have been among
; the others; an address of the function itself shows whether these lie elsewhere.
; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @migrate()
declare void @use(i64)

; CHECK-LABEL: define void @hash(
; CHECK:         store volatile i64 0, ptr %skein.seen
; CHECK:       loop:
; CHECK:         %word = load i64, ptr %at, align 8
; CHECK:         load volatile i64, ptr %skein.seen
; CHECK:         subq %rsp
; CHECK:         store volatile i64 {{.*}}, ptr %skein.seen
; CHECK:       done:
; CHECK-NEXT:    store volatile ptr @hash, ptr %skein.witness
; CHECK-NEXT:    call void @migrate()
define void @hash(ptr %from, i64 %count) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr inbounds i64, ptr %from, i64 %n
  %word = load i64, ptr %at, align 8
  %product = mul i64 %word, 31415
  %more = xor i64 %sum, %product
  %next = add i64 %n, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %done
done:
  call void @migrate()
  call void @use(i64 %more)
  ret void
}

; On the path without the loop the slot costs nothing.
; CHECK-LABEL: define void @rarely(
; CHECK:       entry:
; CHECK-NOT:     store volatile
; CHECK:       before:
; CHECK-NEXT:    store volatile i64 0, ptr %skein.seen
; CHECK:       loop:
define void @rarely(ptr %from, i64 %count) {
entry:
  %any = icmp ne i64 %count, 0
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %n = phi i64 [ 0, %before ], [ %next, %loop ]
  %sum = phi i64 [ 0, %before ], [ %more, %loop ]
  %at = getelementptr inbounds i64, ptr %from, i64 %n
  %word = load i64, ptr %at, align 8
  %product = mul i64 %word, 31415
  %more = xor i64 %sum, %product
  call void @migrate()
  %next = add i64 %n, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %done
done:
  call void @use(i64 %more)
  br label %end
end:
  ret void
}

; A call relocates a pointer before anything is made of it, and so it does the witness: that is a pointer with a home,
; and the slot at which the runtime looks is written where the product is made.
; CHECK-LABEL: define i64 @relocated(
; CHECK:         store ptr %first, ptr %first.home
; CHECK:         call void @migrate(){{.*}}, !heapallocsite
; CHECK:         %[[RELOADED:.*]] = load ptr, ptr %first.home
; CHECK:       join:
; CHECK:         store volatile ptr %[[RELOADED]], ptr %skein.witness
; CHECK:         call void @migrate(){{.*}}, !heapallocsite
define i64 @relocated(ptr %from, i1 %which) {
entry:
  %first = load ptr, ptr %from
  call void @migrate()
  %a = ptrtoint ptr %first to i64
  br i1 %which, label %one, label %other
one:
  %product = mul i64 %a, 31415
  br label %join
other:
  %hash = mul i64 %a, 27182
  br label %join
join:
  %either = phi i64 [ %product, %one ], [ %hash, %other ]
  call void @migrate()
  ret i64 %either
}
