; One check serves all accesses that are computed from one pointer. There is a new check for a pointer that was read,
; and after a migration point.
; RUN: %opt -passes=shared-lowering,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @anything()

; CHECK-LABEL: define i32 @elements(
; CHECK-COUNT-1: @__skein_slice_mapped
; CHECK-NOT: @__skein_slice_mapped
; CHECK: ret i32
define i32 @elements(ptr addrspace(100) %p, i64 %i, i64 %j) {
  %a = getelementptr inbounds i32, ptr addrspace(100) %p, i64 %i
  %x = load i32, ptr addrspace(100) %a
  %b = getelementptr inbounds i32, ptr addrspace(100) %p, i64 %j
  store i32 %x, ptr addrspace(100) %b
  ret i32 %x
}
; CHECK-LABEL: define i32 @followed(
; CHECK-COUNT-2: @__skein_slice_mapped
; CHECK-NOT: @__skein_slice_mapped
; CHECK: ret i32
define i32 @followed(ptr addrspace(100) %p) {
  %q = load ptr addrspace(100), ptr addrspace(100) %p
  %x = load i32, ptr addrspace(100) %q
  ret i32 %x
}
; CHECK-LABEL: define i32 @moved(
; CHECK-COUNT-2: @__skein_slice_mapped
; CHECK-NOT: @__skein_slice_mapped
; CHECK: ret i32
define i32 @moved(ptr addrspace(100) %p) {
  %x = load i32, ptr addrspace(100) %p
  call void @anything()
  %y = load i32, ptr addrspace(100) %p
  %s = add i32 %x, %y
  ret i32 %s
}
