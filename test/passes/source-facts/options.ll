; Each definition has attributes afterwards for what only the compile step knows. Declarations get none.
; RUN: %opt -passes=source-facts,verify -S %s | FileCheck --check-prefix=PLAIN %s
; RUN: %opt -passes=source-facts,verify -skein-stress=calls -skein-polls=loops -skein-stacks=growable -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; PLAIN: define void @f() #[[F:[0-9]+]]
; PLAIN: declare void @g(){{$}}
; PLAIN: attributes #[[F]] = { "skein-compiled" }
; CHECK: define void @f() #[[F:[0-9]+]]
; CHECK: declare void @g(){{$}}
; CHECK: attributes #[[F]] = { "skein-compiled" "skein-polls"="loops" "skein-stacks"="growable" "skein-stress"="calls" }
define void @f() {
  call void @g()
  ret void
}
declare void @g()
