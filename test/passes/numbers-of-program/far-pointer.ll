; A pointer that begins far away from its object; in a shared library the word that the runtime sets is a weak one.
; RUN: %opt -passes=numbers-of-program,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: @__skein_watch = weak global [2 x i64] [i64 1073741824, i64 0]
; CHECK: c"is kept as a number in `far`
@object = global i64 5
@near = global ptr getelementptr (i8, ptr @object, i64 8)
@far = global ptr getelementptr (i8, ptr @object, i64 1099511627776)

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
