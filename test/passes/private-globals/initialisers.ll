; Words of initialisers that hold addresses of private variables are listed; constants that mention one are private, too.
; RUN: %opt -passes=private-globals,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@x = dso_local global i32 1 #0
@list = dso_local global { i32, ptr, [2 x ptr] } { i32 0, ptr @list, [2 x ptr] [ptr null, ptr getelementptr (i8, ptr @x, i64 4)] } #0
@fixed = internal constant [2 x ptr] [ptr @x, ptr @plain]
@outer = internal constant ptr @fixed
@plain = global i32 3
@common = common dso_local global i64 0 #0
@difference = dso_local global i64 sub (i64 ptrtoint (ptr @list to i64), i64 ptrtoint (ptr @x to i64)) #0

; CHECK-DAG: @fixed = internal global [2 x ptr] [ptr @x, ptr @plain], section ".data.skein.private.fixed" #[[P:[0-9]+]]
; CHECK-DAG: @outer = internal global ptr @fixed, section ".data.skein.private.outer" #[[P]]
; CHECK-DAG: @plain = global i32 3{{$}}
; CHECK-DAG: @common = weak dso_local global i64 0, section ".bss.skein.private.common"
; CHECK-DAG: private constant [2 x i32] {{.*}}(i8, ptr @list, i64 8){{.*}}(i8, ptr @list, i64 24){{.*}}, section "skein_private_words", align 4, !associated
; CHECK-DAG: private constant [1 x i32] {{.*}}ptr @fixed{{.*}}, section "skein_private_words"
; Size, groups, why it is private; offset, stride, count, kind of a group.
; CHECK-DAG: = private constant { i32, i32, i64, i64, [1 x { i64, i64, i64, i64 }] } {{.*}}@list{{.*}} i64 32, i64 1, [1 x { i64, i64, i64, i64 }] [{ i64, i64, i64, i64 } { i64 8, i64 8, i64 3, i64 0 }] }, section "skein_privates"
; A weak definition may be replaced by another unit's.
; CHECK-DAG: { ptr @common, {{.*}}, section "skein_private_uses"
; CHECK-NOT: @difference{{.*}}skein_private_words

define ptr @use() {
; CHECK: load ptr, ptr addrspace(256) addrspacecast (ptr @outer to ptr addrspace(256))
  %v = load ptr, ptr @outer
  ret ptr %v
}

attributes #0 = { "skein-private"="program" }
