; Loads, stores and atomics of a private variable go through gs, in one instruction; where its address is needed, it is
; loaded from the variable's address word.
; RUN: %opt -passes=private-globals,verify -S %s | FileCheck %s
; RUN: %opt -passes=private-globals -S %s | %llc -O2 -relocation-model=pic -o - | FileCheck %s --check-prefix=ASM
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@x = dso_local global i32 1 #0
@table = internal global [10 x i32] zeroinitializer #0
@declared = external dso_local global ptr #0
@shared = global i32 2

; CHECK-DAG: @x = dso_local global i32 1, section ".data.skein.private.x"
; CHECK-DAG: @table = internal global [10 x i32] zeroinitializer, section ".bss.skein.private.table"
; CHECK-DAG: @skein.address.x = private global ptr @x, section ".data.skein.address.x", align 8 #[[WORD:[0-9]+]]
; That a declared variable which is used is private is checked at the start.
; CHECK-DAG: @skein.private.use = private constant { ptr, ptr, ptr } { ptr @declared, {{.*}} }, section "skein_private_uses"
; CHECK-DAG: @shared = global i32 2{{$}}

define i32 @direct() {
; CHECK-LABEL: @direct(
; CHECK: load i32, ptr addrspace(256) addrspacecast (ptr @x to ptr addrspace(256))
; ASM-LABEL: direct:
; ASM: movl %gs:{{(.L)?x.*}}(%rip), %eax
; ASM-NEXT: retq
  %v = load i32, ptr @x
  ret i32 %v
}

define void @changed() {
; ASM-LABEL: changed:
; ASM: incl %gs:{{(.L)?x.*}}(%rip)
; ASM-NEXT: retq
  %v = load i32, ptr @x
  %w = add i32 %v, 1
  store i32 %w, ptr @x
  ret void
}

define i32 @atomic() {
; CHECK-LABEL: @atomic(
; LLVM's back end would lose the segment of an atomicrmw whose result is only compared.
; CHECK: atomicrmw add ptr %x.address,
; CHECK: cmpxchg ptr addrspace(256) addrspacecast
  %v = atomicrmw add ptr @x, i32 1 seq_cst
  %w = cmpxchg ptr @x, i32 1, i32 2 seq_cst seq_cst
  ret i32 %v
}

define i32 @indexed(i64 %i) {
; CHECK-LABEL: @indexed(
; CHECK: %[[E:.*]] = getelementptr inbounds [10 x i32], ptr addrspace(256) addrspacecast (ptr @table to ptr addrspace(256)), i64 0, i64 %i
; CHECK-NEXT: load i32, ptr addrspace(256) %[[E]]
; ASM-LABEL: indexed:
; ASM: leaq table(%rip), %rax
; ASM-NEXT: movl %gs:(%rax,%rdi,4), %eax
  %e = getelementptr inbounds [10 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %e
  ret i32 %v
}

define i32 @element() {
; ASM-LABEL: element:
; ASM: movl %gs:table+12(%rip), %eax
  %v = load i32, ptr getelementptr inbounds (i8, ptr @table, i64 12)
  ret i32 %v
}

define ptr @address() {
; CHECK-LABEL: @address(
; CHECK: %[[A:.*]] = load ptr, ptr addrspace(256) addrspacecast (ptr @skein.address.x to ptr addrspace(256)), align 8, !invariant.load !{{[0-9]+}}, !nonnull
; CHECK: ret ptr %[[A]]
; ASM-LABEL: address:
; ASM: movq %gs:.Lskein.address.x(%rip), %rax
; ASM-NEXT: retq
  ret ptr @x
}

; With one access and one use as an address, the access gets a twin.
define ptr @both(i64 %i, i32 %v) {
; CHECK-LABEL: @both(
; CHECK: %[[TWIN:.*]] = getelementptr inbounds [10 x i32], ptr addrspace(256) addrspacecast
; CHECK: %[[LINEAR:.*]] = getelementptr inbounds [10 x i32], ptr %table.address, i64 0, i64 %i
; CHECK: store i32 %v, ptr addrspace(256) %[[TWIN]]
; CHECK: ret ptr %[[LINEAR]]
  %e = getelementptr inbounds [10 x i32], ptr @table, i64 0, i64 %i
  store i32 %v, ptr %e
  ret ptr %e
}

define i32 @merged(i1 %which) {
; CHECK-LABEL: @merged(
; CHECK: entry:
; CHECK: %table.address = load ptr
; CHECK: other:
; CHECK: %x.address = load ptr
; CHECK: phi ptr [ %table.address, %entry ], [ %x.address, %other ]
entry:
  br i1 %which, label %other, label %end
other:
  br label %end
end:
  %p = phi ptr [ @table, %entry ], [ @x, %other ]
  %v = load i32, ptr %p
  ret i32 %v
}

define void @copied(ptr %from) {
; CHECK-LABEL: @copied(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %table.address, ptr %from, i64 40, i1 false)
; CHECK: store ptr %from, ptr addrspace(256) addrspacecast (ptr @declared to ptr addrspace(256))
  call void @llvm.memcpy.p0.p0.i64(ptr @table, ptr %from, i64 40, i1 false)
  store ptr %from, ptr @declared
  ret void
}

define i32 @process() {
; CHECK-LABEL: @process(
; CHECK: load i32, ptr @shared
  %v = load i32, ptr @shared
  ret i32 %v
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

attributes #0 = { "skein-private" }
; CHECK: attributes #[[WORD]] = { "skein-private-address" }
