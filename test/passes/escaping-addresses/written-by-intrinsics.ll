; Intrinsics write memory, too, and in functions that look at the floating-point environment conversions are calls. The
; runtime is told what they make of an address, like everything else.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @g()

; CHECK-LABEL: define void @masked(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p,
; CHECK: call void @llvm.masked.store
define void @masked(ptr %p, ptr %place, <2 x i64> %key, <2 x i1> %mask) {
  %a = ptrtoint ptr %p to i64
  %v = insertelement <2 x i64> %key, i64 %a, i32 0
  %h = xor <2 x i64> %v, %key
  call void @llvm.masked.store.v2i64.p0(<2 x i64> %h, ptr align 8 %place, <2 x i1> %mask)
  ret void
}

; CHECK-LABEL: define void @filled(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p,
; CHECK: call void @llvm.memset
define void @filled(ptr %p, ptr %place, i64 %n) {
  %a = ptrtoint ptr %p to i64
  %s = lshr i64 %a, 16
  %b = trunc i64 %s to i8
  call void @llvm.memset.p0.i64(ptr %place, i8 %b, i64 %n, i1 false)
  ret void
}

; CHECK-LABEL: define void @converted(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p,
; CHECK: store double
define void @converted(ptr %p, ptr %place) strictfp {
  %a = ptrtoint ptr %p to i64
  %d = call double @llvm.experimental.constrained.uitofp.f64.i64(i64 %a, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  store double %d, ptr %place
  ret void
}

; CHECK-LABEL: define void @rounded(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p,
; CHECK: store ptr
define void @rounded(ptr %p, ptr %place) {
  %r = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 -4194304)
  store ptr %r, ptr %place
  ret void
}
; The address is rounded by a mask of a number, and kept as a pointer that is compared after a call.
; CHECK-LABEL: define i1 @rounded_number(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null,
; CHECK: call void @g()
define i1 @rounded_number(ptr %p, ptr %q) {
  %a = ptrtoint ptr %p to i64
  %m = and i64 %a, -4194304
  %r = inttoptr i64 %m to ptr
  call void @g()
  %c = icmp eq ptr %r, %q
  ret i1 %c
}

; Rounding to a page changes no more bits than a move keeps.
; CHECK-LABEL: define void @rounded_to_page(
; CHECK-NOT: call preserve_mostcc
; CHECK: ret void
define void @rounded_to_page(ptr %p, ptr %place) {
  %r = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 -4096)
  store ptr %r, ptr %place
  ret void
}

; CHECK-LABEL: define void @stack_pointer(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: store i64
define void @stack_pointer(ptr %place, i64 %key) {
  %sp = call i64 @llvm.read_register.i64(metadata !0)
  %h = xor i64 %sp, %key
  store i64 %h, ptr %place
  ret void
}

!0 = !{!"rsp"}
