; Where the arguments of a variadic call lie. Each passes %p behind what its name says: in a register, which is a bit of the second number
; of the site (rdi 1, rsi 2, rdx 4, rcx 8, r8 16, r9 32), or at an offset from the stack pointer. The last run shows that LLVM puts it there.
; RUN: %opt -passes=pointer-homing,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %llc -O2 -relocation-model=pic %t.ll -o - | FileCheck %s --check-prefix=CODE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @v(ptr, ...)

; CHECK-LABEL: define void @integers(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[INTEGERS:[0-9]+]]
; CODE-LABEL: integers:
; CODE: movq %rsi, %r9
; CODE: callq v@PLT
define void @integers(ptr %n, ptr %p) {
  call void (ptr, ...) @v(ptr %n, i64 1, i32 2, i64 3, i64 4, ptr %p)
  ret void
}

; Neither half of the __int128 goes to r9, which the pointer behind it gets.
; CHECK-LABEL: define void @int128_in_memory(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[INT128:[0-9]+]]
; CODE-LABEL: int128_in_memory:
; CODE: movq %rsi, %r9
; CODE: callq v@PLT
define void @int128_in_memory(ptr %n, ptr %p, i128 %w) {
  call void (ptr, ...) @v(ptr %n, i64 1, i64 2, i64 3, i64 4, i128 %w, ptr %p, ptr %p)
  ret void
}

; A __float128 travels in a vector register, not in memory as a long double does.
; CHECK-LABEL: define void @quadruple(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[QUADRUPLE:[0-9]+]]
; CODE-LABEL: quadruple:
; CODE: movq %rsi, (%rsp)
; CODE: callq v@PLT
define void @quadruple(ptr %n, ptr %p) {
  call void (ptr, ...) @v(ptr %n, i64 1, i64 2, i64 3, i64 4, i64 5, fp128 0xL00000000000000004000000000000000, ptr %p)
  ret void
}

; CHECK-LABEL: define void @long_double(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[LONG_DOUBLE:[0-9]+]]
; CODE-LABEL: long_double:
; CODE: movq %rsi, 16(%rsp)
; CODE: callq v@PLT
define void @long_double(ptr %n, ptr %p) {
  call void (ptr, ...) @v(ptr %n, i64 1, i64 2, i64 3, i64 4, i64 5, x86_fp80 0xK4000C8F5C28F5C28F800, ptr %p)
  ret void
}

; There are nine numbers, and eight registers for them.
; CHECK-LABEL: define void @ninth_double(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[DOUBLES:[0-9]+]]
; CODE-LABEL: ninth_double:
; CODE: movq %rsi, 8(%rsp)
; CODE: callq v@PLT
define void @ninth_double(ptr %n, ptr %p) {
  call void (ptr, ...) @v(ptr %n, i64 1, i64 2, i64 3, i64 4, i64 5, double 1.0, double 2.0, double 3.0, double 4.0, double 5.0, double 6.0, double 7.0, double 8.0, double 9.0, ptr %p)
  ret void
}

; As in @quadruple: the vectors are in registers.
; CHECK-LABEL: define void @vector(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[QUADRUPLE]]
; CODE-LABEL: vector:
; CODE: movq %rsi, (%rsp)
; CODE: callq v@PLT
define void @vector(ptr %n, ptr %p) {
  call void (ptr, ...) @v(ptr %n, i64 1, i64 2, i64 3, i64 4, i64 5, <4 x i32> zeroinitializer, <8 x i32> zeroinitializer, ptr %p)
  ret void
}

; In `...` no vector of 256 bits goes to a register, even on processors that have such registers.
; CHECK-LABEL: define void @vector_with_avx(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[AVX:[0-9]+]]
; CODE-LABEL: vector_with_avx:
; CODE: movq %rsi, 32(%rsp)
; CODE: callq v@PLT
define void @vector_with_avx(ptr %n, ptr %p) "target-features"="+avx" {
  call void (ptr, ...) @v(ptr %n, i64 1, i64 2, i64 3, i64 4, i64 5, <8 x i32> zeroinitializer, ptr %p)
  ret void
}

; A struct in memory: each of its pointers is listed, at its alignment, and so is what lies after it.
; CHECK-LABEL: define void @structure(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[STRUCTURE:[0-9]+]]
; CODE-LABEL: structure:
; CODE: movq %rsi, 64(%rsp)
; CODE: callq v@PLT
define void @structure(ptr %n, ptr %p, ptr %s) {
  call void (ptr, ...) @v(ptr %n, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, ptr byval({ i64, ptr, i64, ptr }) align 32 %s, ptr %p)
  ret void
}

; An integer of 192 bits is three of 64, and the registers that are left are used first.
; CHECK-LABEL: define void @bitint(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[QUADRUPLE]]
; CODE-LABEL: bitint:
; CODE: movq %rsi, (%rsp)
; CODE: callq v@PLT
define void @bitint(ptr %n, ptr %p, i96 %b, i192 %c) {
  call void (ptr, ...) @v(ptr %n, i96 %b, i192 %c, ptr %p)
  ret void
}

; The parts of an aggregate are separate arguments.
; CHECK-LABEL: define void @parts_of_struct(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[PARTS:[0-9]+]]
; CODE-LABEL: parts_of_struct:
; CODE: movq %rsi, %r8
; CODE: callq v@PLT
define void @parts_of_struct(ptr %n, ptr %p) {
  call void (ptr, ...) @v(ptr %n, { i64, double, i32 } { i64 1, double 2.0, i32 3 }, i64 4, ptr %p)
  ret void
}

; A vector of odd length is not covered by the rules, so the place of %p is not known, and the call is pinned.
; CHECK-LABEL: define void @unknown(
; CHECK: call void (ptr, ...) @v({{.*}}!heapallocsite ![[UNKNOWN:[0-9]+]]
define void @unknown(ptr %n, ptr %p) {
  call void (ptr, ...) @v(ptr %n, <3 x i64> zeroinitializer, ptr %p)
  ret void
}

; CHECK-DAG: ![[NONE:[0-9]+]] = !{}
; CHECK-DAG: ![[AT0:[0-9]+]] = !{i64 0}
; CHECK-DAG: ![[AT8:[0-9]+]] = !{i64 8}
; CHECK-DAG: ![[AT16:[0-9]+]] = !{i64 16}
; CHECK-DAG: ![[AT32:[0-9]+]] = !{i64 32}
; CHECK-DAG: ![[IN_STRUCTURE:[0-9]+]] = !{i64 40, i64 56, i64 64}
; CHECK-DAG: ![[INTEGERS]] = !{!"skein.site", i64 0, i64 32, i64 0, ![[NONE]], ![[NONE]]}
; CHECK-DAG: ![[INT128]] = !{!"skein.site", i64 0, i64 32, i64 0, ![[AT16]], ![[NONE]]}
; CHECK-DAG: ![[QUADRUPLE]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[AT0]], ![[NONE]]}
; CHECK-DAG: ![[LONG_DOUBLE]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[AT16]], ![[NONE]]}
; CHECK-DAG: ![[DOUBLES]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[AT8]], ![[NONE]]}
; CHECK-DAG: ![[AVX]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[AT32]], ![[NONE]]}
; CHECK-DAG: ![[STRUCTURE]] = !{!"skein.site", i64 0, i64 0, i64 0, ![[IN_STRUCTURE]], ![[NONE]]}
; CHECK-DAG: ![[PARTS]] = !{!"skein.site", i64 0, i64 16, i64 0, ![[NONE]], ![[NONE]]}
; CHECK-DAG: ![[UNKNOWN]] = !{!"skein.site", i64 4, i64 0, i64 0, ![[NONE]], ![[NONE]]}
