; Pointers, and differences of addresses, are the same whatever the loader does.
; RUN: %opt -passes=numbers-of-program,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-NOT: skein
@object = global i64 5
@other = global i64 6
@pointer = global ptr @object
@within = global ptr getelementptr inbounds (i8, ptr @object, i64 4)
@difference = global i64 sub (i64 ptrtoint (ptr @object to i64), i64 ptrtoint (ptr @other to i64))
@relative = global i32 trunc (i64 sub (i64 ptrtoint (ptr @object to i64), i64 ptrtoint (ptr @relative to i64)) to i32)
@number = global i64 7
