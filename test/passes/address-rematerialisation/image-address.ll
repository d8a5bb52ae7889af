; The address of a global, of a function and an entry of the global offset table are as stale as that of a local: the
; other process has loaded the program elsewhere.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=address-rematerialisation %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@mine = internal global i32 0
@theirs = external global i32
declare void @f(ptr, ptr, ptr)
define internal void @g() {
  ret void
}

define void @image(ptr %unused) #0 {
; CHECK-LABEL: name: image
; CHECK-DAG: MOV64rm $rip, 1, $noreg, target-flags(x86-gotpcrel) @theirs
; CHECK-DAG: LEA64r $rip, 1, $noreg, @mine
; CHECK-DAG: LEA64r $rip, 1, $noreg, @g
; CHECK: CALL64pcrel32{{.*}} @f
; CHECK-DAG: MOV64rm $rip, 1, $noreg, target-flags(x86-gotpcrel) @theirs
; CHECK-DAG: LEA64r $rip, 1, $noreg, @mine
; CHECK-DAG: LEA64r $rip, 1, $noreg, @g
; CHECK: CALL64pcrel32{{.*}} @f
  call void @f(ptr @mine, ptr @theirs, ptr @g), !heapallocsite !1
  call void @f(ptr @mine, ptr @theirs, ptr @g), !heapallocsite !1
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
