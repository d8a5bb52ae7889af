; An integer that is an address plus a number crosses the call in a pointer's home; one that is an address on some paths only is a
; witness.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @f(
; CHECK: %a.home = alloca i64, align 8, !skein.local ![[HOME:[0-9]+]]
; CHECK: call void @g()
; CHECK: %[[A:a.reload.*]] = load i64, ptr %a.home
; CHECK: ret i64 %[[A]]
define i64 @f(ptr %p) {
  %a = ptrtoint ptr %p to i64
  call void @g()
  ret i64 %a
}

; CHECK-LABEL: define i64 @either(
; CHECK: %skein.witness = alloca i64, align 8, !skein.local ![[WITNESS:[0-9]+]]
; CHECK: store volatile i64 {{.*}}, ptr %skein.witness
; CHECK: call void @g()
; CHECK-NOT: load i64
; CHECK: ret i64
define i64 @either(ptr %p, i64 %n, i1 %which) {
  %a = ptrtoint ptr %p to i64
  %e = select i1 %which, i64 %a, i64 %n
  call void @g()
  ret i64 %e
}

; What is stored in a word of a local that no other code reaches is followed through it.
; CHECK-LABEL: define i64 @through_a_local(
; CHECK: %y.home = alloca i64, align 8, !skein.local ![[SECOND:[0-9]+]]
; CHECK: %x = alloca i64, align 8, !skein.local ![[HOME]]
define i64 @through_a_local(ptr %p) {
  %x = alloca i64
  %a = ptrtoint ptr %p to i64
  store i64 %a, ptr %x
  call void @g()
  %y = load i64, ptr %x
  call void @g()
  ret i64 %y
}
declare void @g()

; CHECK-DAG: ![[HOME]] = !{i64 0, i64 0, i64 0, i64 8, i64 1}
; CHECK-DAG: ![[SECOND]] = !{i64 1, i64 0, i64 0, i64 8, i64 1}
; CHECK-DAG: ![[WITNESS]] = !{i64 0, i64 1, i64 0, i64 8, i64 1}
