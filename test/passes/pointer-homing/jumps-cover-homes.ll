; After a call of setjmp control may come back to it from any call. So what is needed after it is listed at all of them,
; and its home is null from the beginning.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; %p is not needed after @g, but a jump may come from there.
; CHECK-LABEL: define i32 @f(
; CHECK: %p.home = alloca ptr, align 8, !skein.local ![[HOME:[0-9]+]]
; CHECK: store volatile ptr null, ptr %p.home
; CHECK: store ptr %p, ptr %p.home
; CHECK: call i32 @__skein_setjmp({{.*}}!heapallocsite ![[SITE:[0-9]+]]
; CHECK: call void @g(){{.*}}!heapallocsite ![[SITE]]
; CHECK: load ptr, ptr %p.home

; The same holds for locals: one is written after the first return and read after the second.
; CHECK-LABEL: define i32 @g_of_local(
; CHECK: %local = alloca ptr, align 8, !skein.local ![[HOME]]
; CHECK: call i32 @__skein_setjmp({{.*}}!heapallocsite ![[SITE]]
; CHECK: store volatile ptr %p, ptr %local
; CHECK: call void @g(){{.*}}!heapallocsite ![[SITE]]

; CHECK-DAG: ![[HOME]] = !{i64 0, i64 0, i64 0, i64 8, i64 1}
; CHECK-DAG: ![[SITE]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[NONE:[0-9]+]], ![[LIVE:[0-9]+]]}
; CHECK-DAG: ![[NONE]] = !{}
; CHECK-DAG: ![[LIVE]] = !{i64 0}
define i32 @f(ptr %p) {
  %r = call i32 @__skein_setjmp(ptr @buffer, i32 0) returns_twice
  %first = icmp eq i32 %r, 0
  br i1 %first, label %go, label %back

go:
  call void @g()
  unreachable

back:
  %v = load i32, ptr %p
  ret i32 %v
}

define i32 @g_of_local() {
  %local = alloca ptr
  %r = call i32 @__skein_setjmp(ptr @buffer, i32 0) returns_twice
  %first = icmp eq i32 %r, 0
  br i1 %first, label %go, label %back

go:
  %p = load ptr, ptr @somewhere
  store volatile ptr %p, ptr %local
  call void @g()
  unreachable

back:
  %q = load volatile ptr, ptr %local
  %v = load i32, ptr %q
  ret i32 %v
}

@buffer = global [25 x i64] zeroinitializer
@somewhere = global ptr null
declare i32 @__skein_setjmp(ptr, i32) returns_twice
declare void @g()
