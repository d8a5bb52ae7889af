; Globals of numbers have a record if pointers, words of unknown kind or copies of such are written there; bytes have
; one, however many they are.
; RUN: %opt -passes=global-maps,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@pool = internal global [1048576 x i8] zeroinitializer
@stored = internal global [4 x i32] zeroinitializer
@copied = internal global [4 x i32] zeroinitializer
@further = internal global [4 x double] zeroinitializer
@counted = internal global [4 x i64] zeroinitializer
@same = internal global [8 x i32] zeroinitializer
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@pool{{.*}} i64 1048576 }, section "skein_globals"
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@stored{{.*}} i64 16 }, section "skein_globals"
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@copied{{.*}} i64 16 }, section "skein_globals"
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@further{{.*}} i64 32 }, section "skein_globals"
; CHECK-DAG: @llvm.compiler.used = {{.*}}[4 x ptr]
; CHECK-NOT: @counted{{.*}}section
; CHECK-NOT: @same{{.*}}section

define void @writes(ptr %p, ptr %q, i64 %n) {
  store ptr %p, ptr getelementptr (i8, ptr @stored, i64 4), align 4
  call void @llvm.memcpy.p0.p0.i64(ptr @copied, ptr %q, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr @further, ptr @copied, i64 16, i1 false)
  store i64 %n, ptr @counted
  %pair = load i64, ptr @same, align 4
  store i64 %pair, ptr getelementptr (i8, ptr @same, i64 8), align 4
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
