; Memory without a type is described by the accesses: elements by the step of an index that is not known, a header by its
; fixed offsets (one word at 16, another one at 24: 1 << 20 more), copies by the type of what is copied.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; {i64, ptr} from byte 0 on: pointers at 8, 24, ... behind the block's header of 16.
; CHECK-LABEL: define void @elements(
; CHECK: %skein.blocks = alloca ptr, align 8, !skein.local ![[ELEMENTS:[0-9]+]]
define void @elements(i64 %n, i64 %i, ptr %p) {
  %bytes = mul i64 %n, 16
  %block = alloca i8, i64 %bytes, align 16
  %number = getelementptr {i64, ptr}, ptr %block, i64 %i, i32 0
  store i64 7, ptr %number
  %pointer = getelementptr {i64, ptr}, ptr %block, i64 %i, i32 1
  store ptr %p, ptr %pointer
  call void @g()
  %again = load ptr, ptr %pointer
  call void @use(ptr %again)
  ret void
}

; A count and a pointer, then pointers: the count is ambiguous, since an index could be 0.
; CHECK-LABEL: define void @header(
; CHECK: %skein.blocks = alloca ptr, align 8, !skein.local ![[HEADER:[0-9]+]]
define void @header(i64 %bytes, i64 %i, ptr %p) {
  %block = alloca i8, i64 %bytes, align 16
  store i32 1, ptr %block
  %last = getelementptr i8, ptr %block, i64 8
  store ptr %p, ptr %last
  %items = getelementptr i8, ptr %block, i64 16
  %item = getelementptr ptr, ptr %items, i64 %i
  store ptr %p, ptr %item
  call void @g()
  ret void
}

; CHECK-LABEL: define void @copy(
; CHECK: %to = alloca [16 x i8], align 8, !skein.local ![[COPY:[0-9]+]]
define void @copy(ptr %p) {
  %from = alloca {i64, ptr}
  %to = alloca [16 x i8], align 8
  %second = getelementptr i8, ptr %from, i64 8
  store ptr %p, ptr %second
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 16, i1 false)
  call void @g()
  %q = getelementptr i8, ptr %to, i64 8
  %r = load ptr, ptr %q
  call void @use(ptr %r)
  ret void
}

declare void @g()
declare void @use(ptr)

; CHECK-DAG: ![[ELEMENTS]] = !{i64 0, i64 0, i64 0, i64 8, i64 1, i64 2, i64 0, i64 16, i64 24, i64 2, i64 0, i64 0, i64 0}
; CHECK-DAG: ![[HEADER]] = !{i64 0, i64 0, i64 0, i64 8, i64 1, i64 3, i64 0, i64 8, i64 1048592, i64 2, i64 0, i64 8, i64 1048600, i64 2, i64 0, i64 8, i64 32, i64 2, i64 0, i64 0, i64 0}
; CHECK-DAG: ![[COPY]] = !{i64 1, i64 1, i64 0, i64 8, i64 1, i64 0, i64 8, i64 8, i64 1}
