; An address is stored as a number in a variable whose address other modules know. They take it for a number, because of
; its type.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@mine = internal global i64 0
@everybodys = global i64 0
@halves = internal global [2 x i32] zeroinitializer
declare void @others(ptr)
declare void @reads(ptr captures(none))

; CHECK-LABEL: define void @local(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null,
; CHECK: store i64 %n, ptr %v
define void @local(ptr %p) {
  %v = alloca i64
  %n = ptrtoint ptr %p to i64
  store i64 %n, ptr %v, !tbaa !0
  call void @others(ptr %v)
  ret void
}

; CHECK-LABEL: define void @global(
; CHECK: store i64 %n, ptr @mine
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null,
; CHECK: store i64 %n, ptr @everybodys
define void @global(ptr %p) {
  %n = ptrtoint ptr %p to i64
  store i64 %n, ptr @mine
  store i64 %n, ptr @everybodys
  ret void
}

; The address of this variable is not kept anywhere, and here it is known what the variable holds.
; CHECK-LABEL: define void @own(
; CHECK-NOT: call preserve_mostcc
; CHECK: ret void
define void @own(ptr %p) {
  %v = alloca i64
  %n = ptrtoint ptr %p to i64
  store i64 %n, ptr %v, !tbaa !0
  call void @reads(ptr %v)
  ret void
}

; But this module makes no integer of a word from elsewhere, so the runtime is told wherever such a word becomes a
; number.
; CHECK-LABEL: define void @from_elsewhere(
; CHECK: %w = load i64, ptr %u
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: store i64 %w, ptr %v
define void @from_elsewhere(ptr %u) {
  %v = alloca i64
  %w = load i64, ptr %u
  store i64 %w, ptr %v, !tbaa !0
  call void @reads(ptr %v)
  ret void
}

; Code that reads halves takes them for numbers, in this module as well.
; CHECK-LABEL: define void @made_halves(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null,
; CHECK: store i64 %n, ptr %v
define void @made_halves(ptr %p) {
  %v = alloca [2 x i32]
  %n = ptrtoint ptr %p to i64
  store i64 %n, ptr %v
  call void @reads(ptr %v)
  ret void
}

; But two halves that are copied together from an unknown place stay what they were.
; CHECK-LABEL: define void @pair(
; CHECK-NOT: call preserve_mostcc
; CHECK: ret void
define void @pair(ptr %u) {
  %w = load i64, ptr %u
  store i64 %w, ptr @halves
  ret void
}

; In memory of unknown type a word stays what it was.
; CHECK-LABEL: define void @untyped(
; CHECK-NOT: call preserve_mostcc
; CHECK: ret void
define void @untyped(ptr %u) {
  %v = alloca [8 x i8]
  %w = load i64, ptr %u
  store i64 %w, ptr %v
  call void @reads(ptr %v)
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
