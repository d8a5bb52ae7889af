; Functions that a system header declares become Skein's own: one that calls back may migrate, one that reads may not.
; A function of the same name that the program defines or declares itself stays what it is.
; RUN: %opt -passes=library-calls,verify -S %s | FileCheck %s
; RUN: %opt -passes=library-calls,verify -skein-library-calls=0 -S %s | FileCheck --check-prefix=OFF %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define void @caller(
; CHECK-NEXT: call void @__skein_c_qsort(ptr %p,
; CHECK-NEXT: call i64 @__skein_c_read(i32 0,
; CHECK-NEXT: call i64 @write(i32 1,
; CHECK-NEXT: call i32 @close(i32 1)
; OFF: call void @qsort(
; OFF: call i64 @read(
define void @caller(ptr %p, ptr %compare) {
  call void @qsort(ptr %p, i64 4, i64 4, ptr %compare)
  %n = call i64 @read(i32 0, ptr %p, i64 16)
  %m = call i64 @write(i32 1, ptr %p, i64 16)
  %e = call i32 @close(i32 1)
  ret void
}
; CHECK: define i32 @close(
define i32 @close(i32 %fd) #0 {
  ret i32 %fd
}
declare void @qsort(ptr, i64, i64, ptr) #0
declare i64 @read(i32, ptr, i64) #0
declare i64 @write(i32, ptr, i64)
; CHECK: declare void @__skein_c_qsort(ptr, i64, i64, ptr){{$}}
; CHECK: declare i64 @__skein_c_read(i32, ptr, i64) #[[STAYS:[0-9]+]]
; CHECK: attributes #[[STAYS]] = { "skein-nomigrate" }
attributes #0 = { "skein-nomigrate" }
