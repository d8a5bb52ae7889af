; A variable of no size gets a byte of the template; one that is only mentioned in dead code is not reported as used.
; RUN: %opt -passes=private-globals,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: @nothing = dso_local global i8 0, section ".bss.skein.private.nothing", align 4 #[[P:[0-9]+]]
; CHECK-NOT: skein_private_uses
@nothing = dso_local global [0 x i32] zeroinitializer, align 4 #0
@unused = external global [0 x i8] #0

define ptr @use() {
; CHECK: load ptr, ptr addrspace(256)
; CHECK: ret ptr %nothing.address
  ret ptr @nothing
}

; CHECK: attributes #[[P]] = { "skein-private" }
attributes #0 = { "skein-private" }
