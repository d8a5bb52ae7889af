; A module that defines its own heap uses it for everything: its own free frees what strdup returns.
; RUN: %opt -skein-heap=private -passes='private-heap,verify' -S %s | FileCheck %s
; CHECK-NOT: @{{_*}}skein_
@room = global [4096 x i8] zeroinitializer

define ptr @malloc(i64 %n) {
  ret ptr @room
}

declare ptr @strdup(ptr)
declare ptr @calloc(i64, i64)
declare void @free(ptr)

define void @uses(ptr %s) {
  %t = call ptr @strdup(ptr %s)
  call void @free(ptr %t)
  %c = call ptr @calloc(i64 1, i64 8)
  %m = call ptr @malloc(i64 8)
  ret void
}
