; The runtime is told which address the library keeps, and where pages change; a constant one does not matter.
; RUN: %opt -passes=library-keeps,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@text = global [4 x i8] zeroinitializer
; CHECK: = private unnamed_addr constant {{.*}} c"strtok in `f`\00"
; CHECK: call void @__skein_library_keeps(ptr %b, ptr @[[NAME:[0-9]+]])
; CHECK-NEXT: call ptr @strtok(ptr %b, ptr %d)
; CHECK-NEXT: call ptr @strtok(ptr @text, ptr %d)
; CHECK-NEXT: call i64 @strlen(ptr %b)
; CHECK-NEXT: call void @__skein_library_keeps(ptr %b,
; CHECK-NEXT: %o = call i32 @getopt(
; CHECK-NEXT: call void @__skein_options_read(i32 %o)
; CHECK-NEXT: call void @__skein_memory_changed(ptr %b,
; CHECK-NEXT: call i32 @mprotect(
; CHECK-NEXT: %[[NONE:[0-9]+]] = icmp eq ptr %d, null
; CHECK-NEXT: %[[EVENT:[0-9]+]] = select i1 %[[NONE]], ptr @skein.nothing, ptr %d
; CHECK-NEXT: %[[AT:[0-9]+]] = getelementptr inbounds i8, ptr %[[EVENT]], i64 4
; CHECK-NEXT: %[[DATA:[0-9]+]] = load ptr, ptr %[[AT]], align 1
; CHECK-NEXT: call void @__skein_library_keeps(ptr %[[DATA]],
; CHECK-NEXT: call i32 @epoll_ctl(
; CHECK-NEXT: call void @__skein_library_keeps(ptr %b,
; CHECK-NEXT: call i32 @sigqueue(
; CHECK-NEXT: ret void
define void @f(ptr %b, ptr %d) {
  %t = call ptr @strtok(ptr %b, ptr %d)
  %u = call ptr @strtok(ptr @text, ptr %d)
  %n = call i64 @strlen(ptr %b)
  %o = call i32 @getopt(i32 2, ptr %b, ptr %d)
  %p = call i32 @mprotect(ptr %b, i64 4096, i32 0)
  %q = call i32 @epoll_ctl(i32 3, i32 1, i32 4, ptr %d)
  %s = call i32 @sigqueue(i32 1, i32 10, ptr %b)
  ret void
}
declare i32 @epoll_ctl(i32, i32, i32, ptr)
declare i32 @sigqueue(i32, i32, ptr)
declare i32 @mprotect(ptr, i64, i32)
declare ptr @strtok(ptr, ptr)
declare i64 @strlen(ptr)
declare i32 @getopt(i32, ptr, ptr)
