; Atomic operations on shared memory are refused, not done wrongly.
; RUN: not %opt -passes=shared-lowering -S %s 2>&1 | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: atomic operations on shared memory are not supported
define void @f(ptr addrspace(100) %p) {
  %o = atomicrmw add ptr addrspace(100) %p, i32 1 seq_cst
  ret void
}
