; What other code writes may be an address, whatever the global is declared as, so a global of numbers that others fill
; has a record. It has none if only functions of the C library fill it that are known to write numbers.
; RUN: %opt -passes=global-maps,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@anything = internal global [4 x i64] zeroinitializer
@times = internal global [4 x i64] zeroinitializer
; CHECK-DAG: = private constant { i32, i32, i64 } {{.*}}@anything{{.*}} i64 32 }, section "skein_globals"
; CHECK-DAG: @llvm.compiler.used = {{.*}}[1 x ptr]
; CHECK-NOT: @times{{.*}}section

declare void @others(ptr)
declare i32 @clock_gettime(i32, ptr)

define void @f() {
  %filled = alloca { i64, i64 }
  %time = alloca { i64, i64 }
  call void @others(ptr %filled)
  %called = call i32 @clock_gettime(i32 1, ptr %time)
  %a = load i64, ptr %filled, !tbaa !0
  store i64 %a, ptr @anything, !tbaa !0
  %b = load i64, ptr %time, !tbaa !0
  store i64 %b, ptr @times, !tbaa !0
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2}
!2 = !{!"omnipotent char", !3}
!3 = !{!"Simple C/C++ TBAA"}
