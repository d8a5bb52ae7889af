; Sites that cannot be described are pinned with the reason: what IR has decided, a local without an object, a field that
; overflows, a calling convention of another kind.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -filetype=obj %s -o %t.o
; RUN: %clang -fuse-ld=lld -shared -nostdlib %t.o -o %t.so
; RUN: %python %root/test/abi/frame_maps.py %t.so | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f(ptr)

; CHECK: function by_homing of
; CHECK-NEXT: site line 0: pinned returns-twice
define void @by_homing() #0 {
  call void @f(ptr null), !heapallocsite !1
  ret void
}

; CHECK: function lost of
; CHECK-NEXT: site line 0: pinned lost-local
; CHECK-NEXT: site line 0: live []
define void @lost() #0 {
  call void @f(ptr null), !heapallocsite !3
  call void @f(ptr null), !heapallocsite !5
  ret void
}

; An alloca of variable size has no layout of its own, only a descriptor.
; CHECK: function lost_variable of
; CHECK-NEXT: site line 0: pinned lost-local
define void @lost_variable(i64 %n) #0 {
  %v = alloca ptr, i64 %n, !skein.local !10
  call void @f(ptr %v), !heapallocsite !3
  ret void
}

; CHECK: function too_large of
; CHECK-NEXT: site line 0: pinned too-large
define void @too_large() #0 {
  %t = alloca [400000 x i8], !skein.local !11
  call void @f(ptr %t), !heapallocsite !4
  ret void
}

; CHECK: function other_convention of
; CHECK-NEXT: site line 0: pinned frame
define preserve_allcc void @other_convention() #0 {
  call void @f(ptr null), !heapallocsite !5
  ret void
}

attributes #0 = { nounwind "skein-homed" }
!1 = !{!"skein.site", i64 2, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !6}
!4 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !7}
!5 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!6 = !{i64 9}
!7 = !{i64 1}
!10 = !{i64 9, i64 0, i64 0, i64 8, i64 1}
!11 = !{i64 1, i64 0, i64 0, i64 100000, i64 4}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
