; The hidden result pointer crosses every call in a register of instruction selection's own. It gets a machine home, which
; the frame map lists at the site: one local.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=address-rematerialisation %s -o - | FileCheck %s
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs %s -o - | FileCheck %s --check-prefix=MAP
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f()

define void @returns_struct(ptr sret([4 x i64]) %out) #0 {
; CHECK-LABEL: name: returns_struct
; CHECK: id: [[HOME:[0-9]+]], name: '', type: default{{.*}}size: 8
; CHECK: MOV64mr %stack.[[HOME]], 1, $noreg, 0, $noreg, %[[#]]
; CHECK: CALL64pcrel32{{.*}} @f
; CHECK: [[BACK:%[0-9]+]]:gr64 = MOV64rm %stack.[[HOME]], 1, $noreg, 0, $noreg
; CHECK: $rax = COPY [[BACK]]
; CHECK: RET 0, $rax

; MAP: movq %rdi, (%rsp)
; MAP: callq f@PLT
; MAP: movq (%rsp), %rax
; MAP: .long 16 # 0x10
; One short local, no long one, one site.
; MAP: .short 1 #
; MAP-NEXT: .short 0 #
; MAP-NEXT: .short 1 #
; At CFA - 16, two words: the stack pointer.
; MAP: .short 65534 #
; MAP-NEXT: .byte 1 #
; MAP-NEXT: .byte 0 #
  store i64 1, ptr %out
  call void @f(), !heapallocsite !1
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
