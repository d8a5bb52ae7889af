; This shows which calls go through the runtime, with what in r11 and r10, which through a cell, and that a site stays
; with its call.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=foreign-calls %s -o - | FileCheck %s
; RUN: %llc -O0 -relocation-model=pic -verify-machineinstrs -stop-after=foreign-calls %s -o - | FileCheck %s
; RUN: sed 's/="growable"/="fixed"/' %s | %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=foreign-calls  -o - | FileCheck %s --check-prefix=FIXED
; FIXED-NOT: &__skein_
;
; The whole way down; in a shared object r11 must not meet a lazy entry of the linkage table.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs %s -o - | FileCheck %s --check-prefix=ASM
; RUN: sed 's/PIE Level", i32 2/Nothing", i32 2/' %s | %llc -O2 -relocation-model=pic -verify-machineinstrs -o - | FileCheck %s --check-prefix=SHARED
; ASM-LABEL: known:
; ASM: movq printf@GOTPCREL(%rip), %r11
; ASM: callq __skein_foreign_call{{$}}
; ASM: movl $16, %r10d
; ASM: callq __skein_foreign_call_memory
; SHARED-LABEL: known:
; SHARED: movq printf@GOTPCREL(%rip), %r11
; SHARED: callq *__skein_foreign_call@GOTPCREL(%rip)
; ASM-LABEL: tail:
; ASM: movq puts@GOTPCREL(%rip), %r11
; ASM: jmp __skein_call{{ }}
; SHARED-LABEL: tail:
; SHARED: jmpq *__skein_call@GOTPCREL(%rip)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: name: known
; CHECK: $r11 = MOV64rm $rip, 1, $noreg, target-flags(x86-gotpcrel) @printf, $noreg
; CHECK: CALL64pcrel32 &__skein_foreign_call, {{.*}}implicit $r11
; CHECK: $r10 = MOV32ri64 16
; CHECK: CALL64pcrel32 &__skein_foreign_call_memory, {{.*}}implicit $r11, implicit $r10
; CHECK: CALL64r $r11
define void @known(ptr %p) #0 {
  %a = call i32 (ptr, ...) @printf(ptr %p)
  %b = call i32 (ptr, ...) @printf(ptr %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6)
  %c = call i64 @strlen(ptr %p)
  ret void
}

; CHECK-LABEL: name: unknown
; CHECK: CALL64pcrel32 &__skein_call, {{.*}}heap-alloc-marker
; CHECK: CALL64pcrel32 &__skein_call, {{.*}}heap-alloc-marker
; CHECK: CALL64pcrel32 &__skein_call,
; CHECK: CALL64pcrel32 &__skein_call_memory, {{.*}}implicit $r10{{.*}}heap-alloc-marker
define void @unknown(ptr %p) #0 {
  call void @elsewhere(), !heapallocsite !1
  call void %p(), !heapallocsite !1
  call void @weak()
  call void @elsewhere7(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7), !heapallocsite !1
  ret void
}

; Where there is a cell, the call leads where the cell does. A cell for arguments in memory serves for none, too, and is
; told so.
; RUN: %opt -passes='callee-binding,verify' %s -o - | %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=foreign-calls - -o - | FileCheck %s --check-prefix=BOUND
; RUN: %opt -passes='callee-binding,verify' %s -o - | %llc -O2 -relocation-model=pic -verify-machineinstrs - -o - | FileCheck %s --check-prefix=CODE
; CODE-LABEL: bound:
; CODE: callq *__skein_callee.elsewhere(%rip)
; CODE: movl $0, %r10d
; CODE: callq *__skein_callee_memory.variadic(%rip)
; CODE: jmpq *__skein_callee.elsewhere(%rip)
; CODE-LABEL: __skein_bind.elsewhere:
; CODE: leaq __skein_callee.elsewhere(%rip), %r11
; CODE-NEXT: jmpq *__skein_bind@GOTPCREL(%rip)
; A module with retpolines has no calls through memory, and one of the large code model may be far from its cells.
; RUN: %opt -passes='callee-binding,verify' %s -o - | %llc -O2 -mattr=+retpoline-indirect-calls -relocation-model=pic -stop-after=foreign-calls - -o - | FileCheck %s --check-prefix=UNBOUND
; RUN: %opt -passes='callee-binding,verify' %s -o - | %llc -O2 -code-model=large -stop-after=foreign-calls - -o - | FileCheck %s --check-prefix=UNBOUND
; UNBOUND-NOT: CALL{{.*}}@__skein_callee
; BOUND-LABEL: name: unknown
; BOUND: CALL64m $rip, 1, $noreg, @__skein_callee.elsewhere, $noreg, {{.*}}heap-alloc-marker
; BOUND: CALL64pcrel32 &__skein_call, {{.*}}heap-alloc-marker
; BOUND: CALL64m $rip, 1, $noreg, @__skein_callee.weak, $noreg,
; BOUND: $r10 = MOV32ri64 16
; BOUND: CALL64m $rip, 1, $noreg, @__skein_callee_memory.elsewhere7, $noreg, {{.*}}implicit $r10{{.*}}heap-alloc-marker
; BOUND-LABEL: name: bound
; BOUND: CALL64m $rip, 1, $noreg, @__skein_callee.elsewhere, $noreg,
; BOUND: $r10 = MOV32ri64 0
; BOUND: CALL64m $rip, 1, $noreg, @__skein_callee_memory.variadic, $noreg,
; BOUND: TCRETURNmi64 $rip, 1, $noreg, @__skein_callee.elsewhere, $noreg,
define void @bound() #0 {
  call void @elsewhere(), !heapallocsite !1
  call void (i32, ...) @variadic(i32 1, i32 2), !heapallocsite !1
  tail call void @elsewhere(), !heapallocsite !1
  ret void
}

; CHECK-LABEL: name: ours
; CHECK-NOT: __skein_call
; CHECK: CALL64pcrel32{{.*}} @here
; CHECK: CALL64pcrel32{{.*}} @__skein_stress
; CHECK-NOT: __skein_call
; CHECK: RET
define void @ours() #0 {
  call void @here(), !heapallocsite !1
  call void @__skein_stress(), !heapallocsite !1
  ret void
}

; CHECK-LABEL: name: tail
; CHECK: &__skein_call, {{.*}}implicit $r11
define i32 @tail(ptr %p) #0 {
  %r = tail call i32 @puts(ptr %p)
  ret i32 %r
}

define dso_local void @here() noinline #0 {
  ret void
}
define weak void @weak() #0 {
  ret void
}

declare i32 @printf(ptr, ...)
declare i32 @puts(ptr)
declare i64 @strlen(ptr)
declare void @elsewhere()
declare void @elsewhere7(i64, i64, i64, i64, i64, i64, i64)
declare void @variadic(i32, ...)
declare void @__skein_stress()

attributes #0 = { nounwind "skein-homed" "skein-stacks"="growable" }
!llvm.module.flags = !{!0, !3, !4}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{i32 7, !"PIE Level", i32 2}
!4 = !{i32 8, !"PIC Level", i32 2}
