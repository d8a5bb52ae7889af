; Neither a call that does not migrate nor a function that was not homed changes anything.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=address-rematerialisation %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr)

define void @no_site() #0 {
; CHECK-LABEL: name: no_site
; CHECK: [[A:%[0-9]+]]:gr64 = LEA64r %stack.0.a
; CHECK: $rdi = COPY [[A]]
; CHECK: $rdi = COPY [[A]]
  %a = alloca i64
  call void @f(ptr %a)
  call void @f(ptr %a)
  ret void
}

define void @not_homed() nounwind {
; CHECK-LABEL: name: not_homed
; CHECK: [[A:%[0-9]+]]:gr64 = LEA64r %stack.0.a
; CHECK: $rdi = COPY [[A]]
; CHECK: $rdi = COPY [[A]]
  %a = alloca i64
  call void @f(ptr %a), !heapallocsite !1
  call void @f(ptr %a), !heapallocsite !1
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
