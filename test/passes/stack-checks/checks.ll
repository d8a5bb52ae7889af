; This shows which functions look for room, how they do it, and what the cold block calls.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs %s -o - | FileCheck %s
; RUN: %llc -O0 -relocation-model=pic -verify-machineinstrs %s -o - | FileCheck %s --check-prefix=O0
; RUN: sed 's/="growable"/="fixed"/' %s | %llc -O2 -relocation-model=pic -verify-machineinstrs  -o - | FileCheck %s --check-prefix=FIXED
; FIXED-NOT: %fs:112
; O0-LABEL: calls:
; O0: cmpq %fs:112, %rsp
; O0-NEXT: jb

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The cold block has the frame of the caller only, and unwinders are told.
; CHECK-LABEL: calls:
; CHECK: cmpq %fs:112, %rsp
; CHECK-NEXT: jb [[COLD:.LBB[0-9_]+]]
; CHECK: pushq %rbx
; CHECK: retq
; CHECK: [[COLD]]:
; CHECK-NEXT: .cfi_restore %rbx
; CHECK-NEXT: movq $[[#]], %r11
; CHECK-NEXT: callq __skein_grow{{$}}
; CHECK-NEXT: jmp
define i32 @calls(i32 %x) #0 {
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret i32 %x
}

; CHECK-LABEL: large:
; CHECK: leaq -4{{[0-9]+}}(%rsp), %r11
; CHECK-NEXT: cmpq %fs:112, %r11
; CHECK: callq __skein_grow{{$}}
define void @large() #0 {
  %a = alloca [4000 x i8]
  call void @take(ptr %a), !heapallocsite !1
  ret void
}

; Its frame and the red zone fit into the headroom.
; CHECK-LABEL: leaf:
; CHECK-NOT: %fs:112
; CHECK: retq
define i64 @leaf(i64 %x, i64 %y) #0 {
  %a = alloca [100 x i64]
  %at = getelementptr i64, ptr %a, i64 %x
  store volatile i64 %y, ptr %at
  %r = load volatile i64, ptr %a
  ret i64 %r
}

; Foreign code runs on a stack of its own.
; CHECK-LABEL: asks_only_others:
; CHECK-NOT: %fs:112
; CHECK: __skein_foreign_call
; CHECK: retq
define i32 @asks_only_others(ptr %p) #0 {
  %r = call i32 @puts(ptr %p)
  ret i32 1
}

; A function that never migrates grows like any other.
; CHECK-LABEL: stays:
; CHECK: callq __skein_grow{{$}}
define void @stays() #1 {
  call void @here()
  call void @here()
  ret void
}

; A block of unknown size has asked for itself (growable-stacks), and the rest of the frame asks here.
; CHECK-LABEL: dynamic:
; CHECK: cmpq %fs:112, %rsp
define void @dynamic(i64 %n) #0 {
  %a = alloca i8, i64 %n
  call void @take(ptr %a), !heapallocsite !1
  ret void
}

; The arguments are wider than what __skein_grow preserves.
; CHECK-LABEL: wide:
; CHECK: callq __skein_grow_wide{{$}}
define void @wide(<8 x i64> %v) #2 {
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

define dso_local void @here() noinline #0 {
  ret void
}
define dso_local void @take(ptr %p) noinline #0 {
  store volatile i8 1, ptr %p
  ret void
}
declare i32 @puts(ptr)

attributes #0 = { nounwind uwtable "skein-homed" "skein-stacks"="growable" }
attributes #1 = { nounwind uwtable "skein-homed" "skein-stacks"="growable" "skein-nomigrate" }
attributes #2 = { nounwind "skein-homed" "skein-stacks"="growable" "target-features"="+avx512f" "min-legal-vector-width"="512" }
!llvm.module.flags = !{!0, !3, !4}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{i32 7, !"PIE Level", i32 2}
!4 = !{i32 8, !"PIC Level", i32 2}
