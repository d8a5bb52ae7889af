; The cases of an interpreter's loop make calls. Each would load again what any other case needs, only to merge it at
; the head of the loop. So the value is loaded in the case that uses it, and no phi is left. If a call is rarer than the
; uses, the merge stays.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @g()
declare i32 @next()

; CHECK-LABEL: define i32 @interpreter(
; CHECK: store ptr %p, ptr %p.home
; CHECK: head:
; CHECK-NOT: phi
; CHECK: switch
; CHECK: one:
; CHECK-NEXT: call void @g()
; CHECK-NEXT: br label %head
; CHECK: two:
; CHECK-NEXT: call void @g()
; CHECK-NEXT: br label %head
; CHECK: three:
; CHECK-NEXT: %[[P:.*]] = load ptr, ptr %p.home
; CHECK-NEXT: store i32 1, ptr %[[P]]
; CHECK: four:
; CHECK-NEXT: %[[AGAIN:.*]] = load ptr, ptr %p.home
; CHECK-NEXT: %v = load i32, ptr %[[AGAIN]]
define i32 @interpreter(ptr %p) {
entry:
  br label %head
head:
  %code = call i32 @next()
  switch i32 %code, label %four [ i32 1, label %one
                                  i32 2, label %two
                                  i32 3, label %three ]
one:
  call void @g()
  br label %head
two:
  call void @g()
  br label %head
three:
  store i32 1, ptr %p
  br label %head
four:
  %v = load i32, ptr %p
  ret i32 %v
}

; CHECK-LABEL: define i32 @rare(
; CHECK: head:
; CHECK: phi ptr [ %p, %entry ], [ %{{.*}}, %back ]
; CHECK: rare:
; CHECK: call void @g()
; CHECK-NEXT: load ptr, ptr %p.home
define i32 @rare(ptr %p) {
entry:
  br label %head
head:
  %v = load volatile i32, ptr %p
  switch i32 %v, label %back [ i32 1, label %rare
                               i32 2, label %end ], !prof !0
rare:
  call void @g()
  br label %back
back:
  br label %head
end:
  ret i32 %v
}
!0 = !{!"branch_weights", i32 2000, i32 1, i32 1}
