; Mutable globals that can hold pointers have a record; constants and numbers have none.
; RUN: %opt -passes=global-maps,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@holder = dso_local global ptr null
@exported = global ptr null
@table = internal global [4 x { i32, ptr }] zeroinitializer
@local = thread_local global ptr null
@fixed = constant ptr null
@number = global i64 0
; CHECK-DAG: @skein.global.name = private unnamed_addr constant [7 x i8] c"holder\00"
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@holder{{.*}} i64 8 }, section "skein_globals", align 8, !associated
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@table{{.*}} i64 64 }, section "skein_globals"
; A thread-local variable is found by a function; its size has the top bit.
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@skein.thread_local.local{{.*}} i64 -9223372036854775800 }, section "skein_globals"
; One that another module may define is found through a slot; its size has the bit below.
; CHECK-DAG: @[[SLOT:.*]] = private unnamed_addr constant ptr @exported
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@[[SLOT]]{{.*}} i64 4611686018427387912 }, section "skein_globals", align 8, !associated
; CHECK-DAG: @llvm.compiler.used = {{.*}}[4 x ptr]
; CHECK-NOT: @fixed{{.*}}section
; CHECK-NOT: @number{{.*}}section
