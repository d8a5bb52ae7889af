; Calls through pointers whose targets are all known: tables, !callees, arguments of internal functions, phis.
; RUN: %opt -passes=migration-points,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@calm = internal constant [2 x ptr] [ptr @one, ptr @two]
@wild = internal constant [2 x { i32, ptr }] [{ i32, ptr } { i32 1, ptr @one }, { i32, ptr } { i32 2, ptr @moves }]
@mutable = internal global [2 x ptr] [ptr @one, ptr @two]

define i32 @one() {
  ret i32 1
}
define i32 @two() {
  ret i32 2
}
define i32 @moves() {
  call void @unknown()
  ret i32 3
}

; CHECK: define i32 @by_table(i64 %i) #[[CALM:[0-9]+]]
; CHECK: call i32 %f() #[[CALL:[0-9]+]]
define i32 @by_table(i64 %i) {
  %p = getelementptr [2 x ptr], ptr @calm, i64 0, i64 %i
  %f = load ptr, ptr %p
  %r = call i32 %f()
  ret i32 %r
}
; One function of the table may migrate.
; CHECK: define i32 @by_wild_table(i64 %i) #[[OTHER:[0-9]+]]
; CHECK: call i32 %f(){{$}}
define i32 @by_wild_table(i64 %i) {
  %p = getelementptr [2 x { i32, ptr }], ptr @wild, i64 0, i64 %i, i32 1
  %f = load ptr, ptr %p
  %r = call i32 %f()
  ret i32 %r
}
; CHECK: define i32 @by_mutable_table(i64 %i) #[[OTHER]]
define i32 @by_mutable_table(i64 %i) {
  %p = getelementptr [2 x ptr], ptr @mutable, i64 0, i64 %i
  %f = load ptr, ptr %p
  %r = call i32 %f()
  ret i32 %r
}
; CHECK: define i32 @by_metadata(ptr %f) #[[CALM]]
define i32 @by_metadata(ptr %f) {
  %r = call i32 %f(), !callees !0
  ret i32 %r
}
; CHECK: define internal i32 @sort(ptr %compare, i32 %n) #[[CALM]]
define internal i32 @sort(ptr %compare, i32 %n) {
  %m = sub i32 %n, 1
  %r = call i32 %compare()
  %s = call i32 @sort(ptr %compare, i32 %m)
  ret i32 %s
}
; CHECK: define i32 @sorts(i1 %c) #[[CALM]]
define i32 @sorts(i1 %c) {
  %f = select i1 %c, ptr @one, ptr @two
  %r = call i32 @sort(ptr %f, i32 7)
  ret i32 %r
}
; Its address is taken, so any function may be passed.
; CHECK: define internal i32 @shown(ptr %compare) #[[OTHER]]
define internal i32 @shown(ptr %compare) {
  %r = call i32 %compare()
  ret i32 %r
}
; CHECK: define ptr @shows() #[[CALM]]
define ptr @shows() {
  ret ptr @shown
}
; CHECK: define i32 @by_argument(ptr %f) #[[OTHER]]
define i32 @by_argument(ptr %f) {
  %r = call i32 %f()
  ret i32 %r
}
declare void @unknown()
; CHECK: attributes #[[CALM]] = { "skein-nomigrate" "skein-points" }
; CHECK: attributes #[[OTHER]] = { "skein-points" }
; CHECK: attributes #[[CALL]] = { "skein-nomigrate" }
!0 = !{ptr @one, ptr @two}
