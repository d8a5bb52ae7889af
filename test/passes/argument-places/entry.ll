; Where each kind of argument lies. CODE is the truth: what LLVM makes of a use of the pointer behind it (the stack pointer has
; moved by 8, and the return address takes 8 more). MAP is what we say of the entry: "va" is a mask of registers that hold pointers
; (rdi 1, rsi 2, rdx 4, rcx 8, r8 16, r9 32, r10 64), "perhaps" one of registers that may (the same, and xmm0 to xmm7 from 0x100 on),
; and words in memory count from the first one.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs %s -o - | FileCheck %s --check-prefix=CODE
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -filetype=obj %s -o %t.o
; RUN: %clang -fuse-ld=lld -shared -nostdlib %t.o -o %t.so
; RUN: %python %root/test/abi/frame_maps.py %t.so | FileCheck %s --check-prefix=MAP
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@sink = hidden global ptr null

; CODE-LABEL: {{^}}after_integers:
; CODE: callq __skein_grow
; MAP-LABEL: function after_integers of
; MAP: site line 0: live [] va 0x8 perhaps 0x4{{$}}
define void @after_integers(i8 %a, i32 %b, i64 %c, ptr %p) #0 {
  call void @here(), !heapallocsite !1
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}after_int128:
; CODE-DAG: movq %rdx, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function after_int128 of
; MAP: site line 0: live [] va 0x4 perhaps 0x3{{$}}
define void @after_int128(i128 %n, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}after_int128_in_memory:
; CODE-DAG: movq %r9, sink(%rip)
; CODE-DAG: movq 32(%rsp), %rax
; CODE: callq __skein_grow
; MAP-LABEL: function after_int128_in_memory of
; MAP: local 0: pointer cfa+16 count 1 stride 8
; MAP: local 1: ambiguous cfa+0 count 1 stride 8
; MAP: local 2: ambiguous cfa+8 count 1 stride 8
; MAP: site line 0: live [0, 1, 2] va 0x20 perhaps 0x1f{{$}}
define void @after_int128_in_memory(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i128 %n, ptr %p, ptr %q) #0 {
  store volatile ptr %p, ptr @sink
  store volatile ptr %q, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}after_bitint:
; CODE-DAG: movq 16(%rsp), %rax
; CODE: callq __skein_grow
; MAP-LABEL: function after_bitint of
; MAP: local 0: pointer cfa+0 count 1 stride 8
; MAP: site line 0: live [0] perhaps 0x3f{{$}}
define void @after_bitint(i40 %a, i96 %b, i192 %c, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}declared_address:
; CODE: callq __skein_grow
; MAP-LABEL: function declared_address of
; MAP: site line 0: live [] va 0x1 perhaps 0x100{{$}}
define void @declared_address(i64 "skein-address" %a, double "skein-ambiguous" %b, double %c) #0 {
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}eight_doubles_and_one:
; CODE-DAG: movq 24(%rsp), %rax
; CODE: callq __skein_grow
; MAP-LABEL: function eight_doubles_and_one of
; MAP: local 0: pointer cfa+8 count 1 stride 8
; MAP: site line 0: live [0] va 0x3f{{$}}
define void @eight_doubles_and_one(double %a, double %b, double %c, double %d, double %e, double %f, double %g, double %h, double %i, ptr %1, ptr %2, ptr %3, ptr %4, ptr %5, ptr %6, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}vectors:
; CODE-DAG: movq %rsi, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function vectors of
; MAP: site line 0: live [] va 0x2 perhaps 0xb01{{$}}
define void @vectors(<2 x ptr> %a, <4 x i32> %b, <2 x float> %c, <1 x i64> %d, <2 x i8> %e, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}wide_vector:
; CODE-DAG: movaps %xmm2, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function wide_vector of
; MAP: site line 0: live [] perhaps 0x700{{$}}
define void @wide_vector(<4 x i64> %a, <2 x ptr> %p) #0 {
  store volatile <2 x ptr> %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}wide_vector_in_memory:
; CODE-DAG: movaps 16(%rsp), %xmm0
; CODE-DAG: movq 32(%rsp), %rax
; CODE: callq __skein_grow
; MAP-LABEL: function wide_vector_in_memory of
; MAP: local 0: pointer cfa+16 count 1 stride 8
; MAP: local 1: ambiguous cfa+0 count 1 stride 8
; MAP: local 2: ambiguous cfa+8 count 1 stride 8
; MAP: site line 0: live [0, 1, 2] perhaps 0xff3f{{$}}
define void @wide_vector_in_memory(<8 x i64> %a, <8 x i64> %b, <2 x ptr> %p, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, ptr %q) #0 {
  store volatile <2 x ptr> %p, ptr @sink
  store volatile ptr %q, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}wide_vector_with_avx:
; CODE-DAG: vmovaps %xmm1, sink(%rip)
; CODE: callq __skein_grow_deep
; MAP-LABEL: function wide_vector_with_avx of
; MAP-NOT: perhaps
define void @wide_vector_with_avx(<4 x i64> %a, <2 x ptr> %p) #1 {
  store volatile <2 x ptr> %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

%union.u = type { double }
%struct.s = type { i32, ptr, %union.u }
; CODE-LABEL: {{^}}structure_by_value:
; CODE-DAG: movq %rsi, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function structure_by_value of
; MAP: local 0: pointer cfa+8 count 1 stride 8
; MAP: local 1: pointer cfa+32 count 1 stride 8
; MAP: local 2: ambiguous cfa+16 count 1 stride 8
; MAP: site line 0: live [0, 1, 2] va 0x2 perhaps 0x1{{$}}
define void @structure_by_value(i64 %a, ptr byval(%struct.s) align 8 %s, ptr byval({ ptr }) align 32 %t, ptr %p) #0 {
  %at = getelementptr i8, ptr %s, i64 8
  %word = load volatile ptr, ptr %at
  %other = load volatile ptr, ptr %t
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}long_double:
; CODE-DAG: movq 16(%rsp), %rcx
; CODE-DAG: movq 48(%rsp), %rax
; CODE: callq __skein_grow
; MAP-LABEL: function long_double of
; MAP: local 0: pointer cfa+0 count 1 stride 8
; MAP: local 1: pointer cfa+32 count 1 stride 8
; MAP: site line 0: live [0, 1] perhaps 0x3f{{$}}
define void @long_double(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, ptr %p, x86_fp80 %x, ptr %q) #0 {
  store volatile ptr %p, ptr @sink
  store volatile ptr %q, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}quadruple:
; CODE-DAG: movaps %xmm1, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function quadruple of
; MAP: site line 0: live [] perhaps 0x200{{$}}
define void @quadruple(fp128 %x, <2 x ptr> %p) #0 {
  store volatile <2 x ptr> %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}complex:
; CODE-DAG: movaps %xmm4, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function complex of
; MAP: site line 0: live [] perhaps 0x1000{{$}}
define void @complex({ double, double } %x, [2 x float] %y, <2 x ptr> %p) #0 {
  store volatile <2 x ptr> %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}parts_of_struct:
; CODE-DAG: movq %rcx, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function parts_of_struct of
; MAP: site line 0: live [] va 0xa perhaps 0x1{{$}}
define void @parts_of_struct({ i64, ptr, i32 } %s, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}hidden_result:
; CODE-DAG: movq %rdx, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function hidden_result of
; MAP: site line 0: live [] va 0x5 perhaps 0x2{{$}}
define void @hidden_result(ptr sret({ [4 x i64] }) %r, i64 %a, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}chain:
; CODE-DAG: movq %rdi, sink(%rip)
; CODE-DAG: movq %r10, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function chain of
; MAP: site line 0: live [] va 0x41{{$}}
define void @chain(ptr nest %c, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  store volatile ptr %c, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}variadic:
; CODE-DAG: movq %rsi, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function variadic of
; MAP: site line 0: live [] va 0x2 perhaps 0x1{{$}}
define void @variadic(i64 %n, ptr %p, ...) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}shared_pointer:
; CODE-DAG: movq %rsi, sink(%rip)
; CODE: callq __skein_grow
; MAP-LABEL: function shared_pointer of
; MAP: site line 0: live [] va 0x2{{$}}
define void @shared_pointer(ptr addrspace(100) %s, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

; CODE-LABEL: {{^}}unknown:
; CODE-DAG: movq %rcx, sink(%rip)
; CODE: callq __skein_grow_deep
; MAP-LABEL: function unknown of
; MAP-NOT: perhaps
define void @unknown(<3 x i64> %v, ptr %p) #0 {
  store volatile ptr %p, ptr @sink
  call void @here(), !heapallocsite !1
  call void @here(), !heapallocsite !1
  ret void
}

define hidden void @here() noinline #0 {
  ret void
}

attributes #0 = { nounwind "skein-homed" "skein-stacks"="growable" }
attributes #1 = { nounwind "skein-homed" "skein-stacks"="growable" "target-features"="+avx" }
!llvm.module.flags = !{!0, !3, !4}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{i32 7, !"PIE Level", i32 2}
!4 = !{i32 8, !"PIC Level", i32 2}
