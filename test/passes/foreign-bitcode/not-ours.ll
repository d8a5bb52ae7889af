; In the linker, a function that skeincc did not compile is not homed, and not inlined into functions that are.
; RUN: %opt -passes=foreign-bitcode,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define void @theirs() #[[THEIRS:[0-9]+]]
define void @theirs() #1 {
  ret void
}
; CHECK: define void @ours() #[[OURS:[0-9]+]]
define void @ours() #0 {
  call void @theirs()
  ret void
}
; CHECK: attributes #[[THEIRS]] = { noinline "skein-homed" }
; CHECK: attributes #[[OURS]] = { alwaysinline "skein-compiled" }
attributes #0 = { alwaysinline "skein-compiled" }
attributes #1 = { alwaysinline }
