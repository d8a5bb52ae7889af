; A use in a loop without sites gets its clone in front of the outermost such loop, not inside it; a use in a loop with a site
; gets one right there.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=address-rematerialisation %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr)

define i32 @loops(i32 %n) #0 {
; CHECK-LABEL: name: loops
; CHECK: bb.0.entry:
; CHECK: LEA64r %stack.0.a
; CHECK: CALL64pcrel32{{.*}} @f
; CHECK: [[A:%[0-9]+]]:gr64 = LEA64r %stack.0.a
; CHECK: bb.1.outer:
; CHECK-NOT: LEA64r
; CHECK: PHI [[A]], %bb.1
; CHECK: MOV64mr {{.*}} [[A]] :: (volatile store
; CHECK-NOT: LEA64r
; CHECK: bb.{{[0-9]+}}.calling:
; CHECK: [[B:%[0-9]+]]:gr64 = LEA64r %stack.0.a
; CHECK-NEXT: $rdi = COPY [[B]]
; CHECK-NOT: LEA64r
entry:
  %a = alloca [64 x i32], align 16
  call void @f(ptr %a), !heapallocsite !1
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %outer.latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %p = phi ptr [ %a, %outer ], [ %q, %inner ]
  store volatile ptr %a, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %j1 = add i32 %j, 1
  %c = icmp slt i32 %j1, %n
  br i1 %c, label %inner, label %outer.latch
outer.latch:
  %i1 = add i32 %i, 1
  %d = icmp slt i32 %i1, %n
  br i1 %d, label %outer, label %calling
calling:
  %k = phi i32 [ 0, %outer.latch ], [ %k1, %calling ]
  call void @f(ptr %a), !heapallocsite !1
  %k1 = add i32 %k, 1
  %e = icmp slt i32 %k1, %n
  br i1 %e, label %calling, label %exit
exit:
  ret i32 %k
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
