; The target of an indirect call with a site goes through r11, so that nothing folds its load into a new call instruction,
; which would have no site. Direct calls, calls without a site and functions that were not homed stay as they are.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -stop-after=site-keeping %s -o - | FileCheck %s
; RUN: %llc -O0 -relocation-model=pic -verify-machineinstrs -stop-after=site-keeping %s -o - | FileCheck %s
;
; Both calls have a label in the end; the third has none.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs %s -o - | FileCheck %s --check-prefix=END
; END-LABEL: targets:
; END: callq *%r11
; END-NEXT: .Lskein_0_1:
; END: callq direct@PLT
; END-NEXT: .Lskein_0_2:
; END: callq
; END-NOT: .Lskein_0_3:
; END: retq

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @direct()

; CHECK-LABEL: name: targets
; CHECK: $r11 = COPY %[[#]]
; CHECK-NEXT: CALL64r killed $r11
; CHECK: CALL64pcrel32{{.*}} @direct
; CHECK-NOT: $r11
define void @targets(ptr %table, ptr %other) #0 {
  %p = load ptr, ptr %table
  store ptr null, ptr %other
  call void %p(), !heapallocsite !1
  call void @direct(), !heapallocsite !1
  %q = load ptr, ptr @direct
  store ptr null, ptr @cell
  call void %q()
  ret void
}

@cell = internal global ptr null

; CHECK-LABEL: name: not_homed
; CHECK-NOT: $r11
define void @not_homed(ptr %p) nounwind {
  call void %p(), !heapallocsite !1
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
