; What ThinLTO's compile step proves: an access to shared memory will be a call that may migrate.
; RUN: %opt -passes=non-migrating-proof,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define i32 @plain(ptr %p) #[[PROVED:[0-9]+]] {
define i32 @plain(ptr %p) {
  %x = load i32, ptr %p
  ret i32 %x
}
; CHECK: define i32 @shared(ptr addrspace(100) %p) {
define i32 @shared(ptr addrspace(100) %p) {
  %x = load i32, ptr addrspace(100) %p
  ret i32 %x
}
; CHECK: define i32 @caller(ptr addrspace(100) %p) {
define i32 @caller(ptr addrspace(100) %p) {
  %x = call i32 @shared(ptr addrspace(100) %p)
  ret i32 %x
}
; CHECK: define void @copies(ptr addrspace(100) %p, ptr %q) {
define void @copies(ptr addrspace(100) %p, ptr %q) {
  call void @llvm.memcpy.p0.p100.i64(ptr %q, ptr addrspace(100) %p, i64 80, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p100.i64(ptr, ptr addrspace(100), i64, i1)
; CHECK: attributes #[[PROVED]] = { {{.*}}"skein-nomigrate"
