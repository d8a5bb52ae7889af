; A function that is to be compiled as clang does it is left alone, and each of its calls is a site that keeps the address
; of the thread (10), or its node (11) if a hash of an address is live. A function with an address of the kernel thread,
; or one that calls setjmp, loses the attribute and is homed.
; RUN: %opt -passes=same-moves,pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @work(ptr)
declare ptr @__errno_location()
declare i32 @__skein_setjmp(ptr) returns_twice

; CHECK-LABEL: define ptr @kept(ptr %p)
; CHECK-NEXT: call void @work(ptr %p), !heapallocsite ![[SAME:[0-9]+]]
; CHECK-NEXT: ret ptr %p
define ptr @kept(ptr %p) #0 {
  call void @work(ptr %p)
  ret ptr %p
}

; CHECK-LABEL: define i64 @hash(ptr %p)
; CHECK: call void @work(ptr null) #[[NOMERGE:[0-9]+]], !heapallocsite ![[HIDDEN:[0-9]+]]
define i64 @hash(ptr %p) #0 {
  %n = ptrtoint ptr %p to i64
  %h = mul i64 %n, 31
  call void @work(ptr null)
  ret i64 %h
}

; What is made of an address of a local is right as long as the stack keeps its own.
; CHECK-LABEL: define i64 @hash_of_local()
; CHECK: call void @work(ptr %local), !heapallocsite ![[SAME]]
define i64 @hash_of_local() #0 {
  %local = alloca i64
  %n = ptrtoint ptr %local to i64
  %h = mul i64 %n, 31
  call void @work(ptr %local)
  ret i64 %h
}

; A merge of a biased pointer is biased.
; CHECK-LABEL: define ptr @biased(
; CHECK: call void @work(ptr null) #[[NOMERGE]], !heapallocsite ![[HIDDEN]]
define ptr @biased(ptr %p, i64 %far, i1 %c) #0 {
entry:
  %b = getelementptr i8, ptr %p, i64 %far
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %m = phi ptr [ %b, %entry ], [ %p, %left ]
  call void @work(ptr null)
  ret ptr %m
}

; CHECK-LABEL: define ptr @with_errno(ptr %p)
; CHECK: store ptr %p, ptr %p.home
define ptr @with_errno(ptr %p) #0 {
  %e = call ptr @__errno_location()
  store i32 1, ptr %e
  call void @work(ptr null)
  ret ptr %p
}

; CHECK-LABEL: define ptr @jumps(ptr %p)
; CHECK: store ptr %p, ptr %p.home
define ptr @jumps(ptr %p) #0 {
  %r = call i32 @__skein_setjmp(ptr null) returns_twice
  call void @work(ptr null)
  ret ptr %p
}

; CHECK-DAG: ![[SAME]] = !{!"skein.site", i64 10,
; CHECK-DAG: ![[HIDDEN]] = !{!"skein.site", i64 11,
attributes #0 = { "skein-compiled" "skein-moves-same" }
