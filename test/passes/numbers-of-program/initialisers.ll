; An integer that begins as an address, or a pointer that begins far from its object: a constructor tells the runtime.
; RUN: %opt -passes=numbers-of-program,verify -S %s | FileCheck %s
source_filename = "table.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: @__skein_watch = external dso_local global [2 x i64]
; CHECK: c"is kept as a number in `table` (table.c)\00"
; CHECK: @llvm.global_ctors = appending global {{.*}} @skein.numbers_of_program
@plain = global ptr @object
@object = global i64 5
@table = global [2 x i64] [i64 1, i64 add (i64 ptrtoint (ptr @object to i64), i64 1099511627776)]
@far = global ptr getelementptr (i8, ptr @object, i64 1099511627776)

; CHECK-LABEL: define internal void @skein.numbers_of_program()
; CHECK: %[[WATCHED:[0-9]+]] = load i64, ptr getelementptr (i8, ptr @__skein_watch, i64 8)
; CHECK-NEXT: %[[IS:[0-9]+]] = icmp ne i64 %[[WATCHED]], 0
; CHECK-NEXT: br i1 %[[IS]]
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr @skein.numbers_of_program, ptr null, ptr @{{[0-9]+}})
