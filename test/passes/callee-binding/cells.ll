; A function of another unit, or one that another unit may define, has a cell where code calls it by its name.
; RUN: %opt -passes='callee-binding,verify' -S %s | FileCheck %s
; RUN: sed 's/="growable"/="fixed"/' %s | %opt -passes='callee-binding,verify' -S | FileCheck %s --check-prefix=FIXED
; Running the pass once more changes nothing.
; RUN: %opt -passes='callee-binding,callee-binding,verify' -S %s | FileCheck %s
; FIXED-NOT: __skein_callee

; CHECK: @__skein_callee.elsewhere = internal global [2 x ptr] [ptr @__skein_bind.elsewhere, ptr @elsewhere], align 8
; CHECK: @__skein_callee.weak = internal global [2 x ptr] [ptr @__skein_bind.weak, ptr @weak], align 8
; CHECK: @__skein_callee_memory.variadic = internal global [2 x ptr] [ptr @__skein_bind_memory.variadic, ptr @variadic], align 8
; CHECK-NOT: @__skein_callee
; CHECK: @llvm.compiler.used = appending global [3 x ptr] [ptr @__skein_callee.elsewhere, ptr @__skein_callee.weak, ptr @__skein_callee_memory.variadic]

define void @calls(ptr %p) "skein-stacks"="growable" {
  call void @elsewhere(), !heapallocsite !0
  call void @elsewhere(), !heapallocsite !0
  call void @weak(), !heapallocsite !0
  call void (i32, ...) @variadic(i32 1), !heapallocsite !0
  call void @library()
  call void %p(), !heapallocsite !0
  call void @here(), !heapallocsite !0
  call void @alias(), !heapallocsite !0
  call void @__skein_stress(), !heapallocsite !0
  call i32 @twice(), !heapallocsite !0
  call void asm "nop", ""(), !heapallocsite !0
  ret void
}
; The code of a cell is called with all registers as its callee wants them, and changes none but r11.
; CHECK: define internal void @__skein_bind.elsewhere() [[BARE:#[0-9]+]]
; CHECK-NEXT: call void asm sideeffect "leaq ${0:c}(%rip), %r11\0A\09jmpq *__skein_bind@GOTPCREL(%rip)", "i"(ptr @__skein_callee.elsewhere)
; CHECK-NEXT: unreachable
; CHECK: define internal void @__skein_bind_memory.variadic() [[BARE]]
; CHECK-NEXT: call void asm sideeffect "leaq ${0:c}(%rip), %r11\0A\09jmpq *__skein_bind_memory@GOTPCREL(%rip)", "i"(ptr @__skein_callee_memory.variadic)
; CHECK: attributes [[BARE]] = { cold naked noinline nounwind }

define dso_local void @here() "skein-stacks"="growable" {
  ret void
}
define weak void @weak() "skein-stacks"="growable" {
  ret void
}
@alias = weak alias void (), ptr @here

declare void @elsewhere()
declare void @variadic(i32, ...)
declare void @library()
declare void @__skein_stress()
declare i32 @twice() returns_twice

!llvm.module.flags = !{!1}
!0 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{}
