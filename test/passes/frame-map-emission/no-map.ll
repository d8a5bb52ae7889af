; No map: a function that was not homed, one without a site, a tail call (it leaves no frame), one in several sections.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -filetype=obj %s -o %t.o
; RUN: %clang -fuse-ld=lld -shared -nostdlib %t.o -o %t.so
; RUN: %python %root/test/abi/frame_maps.py %t.so | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr)

; CHECK: function only_this of
; CHECK-NOT: function
define void @not_homed() nounwind {
  call void @f(ptr null), !heapallocsite !1
  ret void
}
define void @no_site() #0 {
  call void @f(ptr null)
  ret void
}
define void @tail_call() #0 {
  tail call void @f(ptr null), !heapallocsite !1
  ret void
}
define void @only_this() #0 {
  call void @f(ptr null), !heapallocsite !1
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
; RUN: %llc -O2 -relocation-model=pic -basic-block-sections=all %s -o - | FileCheck %s --check-prefix=SECTIONS
; A function stays in one piece, so that its map describes all of it.
; SECTIONS: .section skein_maps,
