; With a private heap each store of a pointer that may lead to the stack is compared with the stack pointer.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@global = global ptr null

; CHECK-LABEL: define void @argument(
; CHECK: call i64 asm sideeffect "leaq 0x100000($1), $0{{.*}}subq %rsp, $0"
; CHECK: %[[NEAR:.*]] = icmp ult i64 %{{.*}}, 1073741824
; CHECK-NEXT: br i1 %[[NEAR]], label %[[TELL:.*]], label %[[STORE:.*]], !prof
; CHECK: [[TELL]]:
; CHECK-NEXT: call preserve_mostcc void @__skein_address_stored(ptr %p, ptr %to)
; CHECK: [[STORE]]:
; CHECK-NEXT: store ptr %p, ptr %to
define void @argument(ptr %to, ptr %p) "skein-private-heap" {
  store ptr %p, ptr %to
  ret void
}

; CHECK-LABEL: define void @two(
; CHECK: icmp ult
; CHECK: icmp ult
; CHECK: call preserve_mostcc void @__skein_address_stored(ptr %{{.*}}, ptr %to)
; CHECK: %[[SECOND:.*]] = getelementptr i8, ptr %to, i64 8
; CHECK: call preserve_mostcc void @__skein_address_stored(ptr %{{.*}}, ptr %[[SECOND]])
define void @two(ptr %to, <2 x ptr> %p) "skein-private-heap" {
  store <2 x ptr> %p, ptr %to
  ret void
}

; Nothing is compared if the pointer cannot lead to the stack, if the maps or the search of globals see the place, or
; without a private heap.
; CHECK-LABEL: define void @others(
; CHECK-NOT: subq %rsp
define void @others(ptr %to, ptr %p) "skein-private-heap" {
  %local = alloca ptr
  store ptr %p, ptr %local
  store ptr %p, ptr @global
  store ptr null, ptr %to
  store ptr @global, ptr %to
  %block = call noalias ptr @allocate()
  store ptr %block, ptr %to
  ret void
}
define void @process(ptr %to, ptr %p) {
  store ptr %p, ptr %to
  ret void
}
declare noalias ptr @allocate()
