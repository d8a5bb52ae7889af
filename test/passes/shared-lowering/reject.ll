; What cannot be done right is refused, with a message.
; RUN: split-file %s %t
; RUN: not %opt -passes=shared-lowering -S %t/library.ll 2>&1 | FileCheck --check-prefix=LIBRARY %s
; RUN: not %opt -passes=shared-lowering -S %t/large.ll 2>&1 | FileCheck --check-prefix=LARGE %s
; RUN: not %opt -passes=shared-lowering -S %t/assembly.ll 2>&1 | FileCheck --check-prefix=ASSEMBLY %s
; RUN: not %opt -passes=shared-lowering -S %t/conversion.ll 2>&1 | FileCheck --check-prefix=CONVERSION %s
; RUN: %opt -passes=shared-lowering -S %t/local.ll 2>&1 | FileCheck --check-prefix=LOCAL %s
; LIBRARY: 'strlen' takes pointers to plain memory, and this one leads to shared memory
; LARGE: atomic operations on shared memory are done on aligned objects of 1, 2, 4, 8 or (with -mcx16) 16 bytes
; ASSEMBLY: inline assembly cannot access shared memory
; CONVERSION: a pointer to shared memory is made into one to plain memory, or the other way round
; LOCAL: the address of local variable 'x' is stored in shared memory
;--- library.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare i64 @strlen(ptr addrspace(100))
define i64 @f(ptr addrspace(100) %p) {
  %n = call i64 @strlen(ptr addrspace(100) %p)
  ret i64 %n
}
;--- large.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @__atomic_load(i64, ptr, ptr, i32)
define void @f(ptr addrspace(100) %p, ptr %to) {
  %q = addrspacecast ptr addrspace(100) %p to ptr
  call void @__atomic_load(i64 40, ptr %q, ptr %to, i32 5)
  ret void
}
;--- assembly.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define void @f(ptr addrspace(100) %p) {
  call void asm "incl $0", "=*m"(ptr addrspace(100) elementtype(i32) %p)
  ret void
}
;--- conversion.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define ptr @f(ptr addrspace(100) %p) {
  %q = addrspacecast ptr addrspace(100) %p to ptr
  ret ptr %q
}
;--- local.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define void @f(ptr addrspace(100) %p) {
  %x = alloca i32
  store ptr %x, ptr addrspace(100) %p
  ret void
}
