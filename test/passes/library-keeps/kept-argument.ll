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
; CHECK-NEXT: call void @__skein_library_keeps_words(ptr %b, i64 1, i64 2, ptr
; CHECK-NEXT: call i32 @epoll_ctl(
; CHECK-NEXT: call void @__skein_library_keeps(ptr %d,
; CHECK-NEXT: call i32 @sigqueue(
; CHECK-NEXT: [[N:%.*]] = sext i32 %k to i64
; CHECK-NEXT: call void @__skein_library_keeps_each(ptr %b, i64 [[N]], i64 2309, ptr
; CHECK-NEXT: call void @__skein_library_keeps_words(ptr %d, i64 1, i64 1, ptr
; CHECK-NEXT: call i32 @lio_listio(i32 1,
; CHECK-NEXT: call i32 @lio_listio(i32 0,
; CHECK-NEXT: call void @__skein_library_stores(ptr %b, ptr %d, ptr
; CHECK-NEXT: call i64 @strtol(ptr %b, ptr %d,
; CHECK-NEXT: call i64 @strtol(ptr %b, ptr %local,
; CHECK-NEXT: call i64 @strtol(ptr %b, ptr null,
; CHECK-NEXT: call void @__skein_library_keeps_words(ptr %b, i64 1, i64 2, ptr
; CHECK-NEXT: call i64 (i64, ...) @syscall(i64 233,
; CHECK-NEXT: call i64 (i64, ...) @syscall(i64 39)
; CHECK-NEXT: ret void
define void @f(ptr %b, ptr %d, i32 %k) {
  %local = alloca ptr
  %t = call ptr @strtok(ptr %b, ptr %d)
  %u = call ptr @strtok(ptr @text, ptr %d)
  %n = call i64 @strlen(ptr %b)
  %o = call i32 @getopt(i32 2, ptr %b, ptr %d)
  %p = call i32 @mprotect(ptr %b, i64 4096, i32 0)
  %e = call i32 @epoll_ctl(i32 3, i32 1, i32 4, ptr %b)
  %q = call i32 @sigqueue(i32 3, i32 1, ptr %d)
  %l = call i32 @lio_listio(i32 1, ptr %b, i32 %k, ptr %d)
  %m = call i32 @lio_listio(i32 0, ptr %b, i32 %k, ptr %d)
  %s1 = call i64 @strtol(ptr %b, ptr %d, i32 10)
  %s2 = call i64 @strtol(ptr %b, ptr %local, i32 10)
  %s3 = call i64 @strtol(ptr %b, ptr null, i32 10)
  %c = call i64 (i64, ...) @syscall(i64 233, i32 3, i32 1, i32 4, ptr %b)
  %h = call i64 (i64, ...) @syscall(i64 39)
  ret void
}
declare i32 @epoll_ctl(i32, i32, i32, ptr)
declare i32 @sigqueue(i32, i32, ptr)
declare i32 @lio_listio(i32, ptr, i32, ptr)
declare i64 @strtol(ptr, ptr, i32)
declare i64 @syscall(i64, ...)
declare i32 @mprotect(ptr, i64, i32)
declare ptr @strtok(ptr, ptr)
declare i64 @strlen(ptr)
declare i32 @getopt(i32, ptr, ptr)
