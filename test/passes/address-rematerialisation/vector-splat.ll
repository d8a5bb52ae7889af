; SelectionDAG makes one vector of an address for both stores: the whole chain is computed again.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=address-rematerialisation %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr)

define void @splat(ptr %out) #0 {
; CHECK-LABEL: name: splat
; CHECK: CALL64pcrel32{{.*}} @f
; CHECK: LEA64r %stack.[[#]].a
; CHECK: PSHUFDri
; CHECK: CALL64pcrel32{{.*}} @f
; CHECK: LEA64r %stack.[[#]].a
; CHECK: PSHUFDri
  %a = alloca i64
  %b = alloca <2 x ptr>
  %s = insertelement <2 x ptr> poison, ptr %a, i32 0
  %v = shufflevector <2 x ptr> %s, <2 x ptr> poison, <2 x i32> zeroinitializer
  call void @f(ptr %b), !heapallocsite !1
  store <2 x ptr> %v, ptr %b
  call void @f(ptr %b), !heapallocsite !1
  store <2 x ptr> %v, ptr %b
  call void @f(ptr %b)
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
