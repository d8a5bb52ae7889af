; A pure intrinsic computes from its arguments, not from the address of the function it names: the result is an integer as any
; other, and is never homed or listed with the name as a pointer (which would be an undefined symbol).
;
; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s

declare void @migrate()
declare void @use(i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.usub.sat.i64(i64, i64)

; CHECK-LABEL: define i64 @least(
; CHECK-NOT:     ptr @llvm.umin.i64
; CHECK-NOT:     asm
; CHECK:         call void @migrate()
; CHECK:         ret i64 %least
define i64 @least(i64 %n) {
  %least = call i64 @llvm.umin.i64(i64 %n, i64 8192)
  call void @migrate()
  ret i64 %least
}

; An address in it is found as before.
; CHECK-LABEL: define void @of_an_address(
; CHECK-NOT:     ptr @llvm.usub.sat.i64
; CHECK:         store volatile ptr %p
; CHECK-NOT:     ptr @llvm.usub.sat.i64
; CHECK:         ret void
define void @of_an_address(ptr %p) {
  %number = ptrtoint ptr %p to i64
  %least = call i64 @llvm.usub.sat.i64(i64 %number, i64 8192)
  call void @migrate()
  call void @use(i64 %least)
  ret void
}
