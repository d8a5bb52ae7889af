; The address of a private variable does not change in a move: it crosses calls in a register, without a home slot, and
; the proof agrees. The address of its place in the template does change and is computed again.
; RUN: %opt '-passes=private-globals,migration-points,function(pointer-homing),verify' -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %llc -O2 -relocation-model=pic %t.ll -o - 2>&1 | FileCheck %s --check-prefix=ASM
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@x = dso_local global [10 x i32] zeroinitializer #0

declare void @other(ptr)

define i32 @f(i64 %i) {
; CHECK-LABEL: @f(
; CHECK-NOT: alloca
; CHECK: ret i32
; ASM-NOT: warning
; ASM-LABEL: f:
; ASM: movq %gs:.Lskein.address.x(%rip), [[A:%r[a-z0-9]+]]
; ASM: callq other@PLT
; ASM: movq [[A]], %rdi
; ASM: callq other@PLT
; ASM: leaq {{(.L)?x.*}}(%rip), %rax
; ASM: movl %gs:(%rax,{{.*}},4), %eax
entry:
  call void @other(ptr @x)
  call void @other(ptr @x)
  %e = getelementptr inbounds [10 x i32], ptr @x, i64 0, i64 %i
  %v = load i32, ptr %e
  ret i32 %v
}

attributes #0 = { "skein-private" }
