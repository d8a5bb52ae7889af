; A variable of the process has one value, but the address of a private variable differs from thread to thread.
; RUN: not %opt -passes=private-globals -S %s 2>&1 | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: error: variable 'keeper' of the process is initialised with the address of a private variable
@x = dso_local global i32 1 #0
@keeper = global ptr @x

attributes #0 = { "skein-private" }
