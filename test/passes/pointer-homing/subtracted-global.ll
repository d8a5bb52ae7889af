; What LLVM makes of `p - text + 1` is a number, and its constant part, which is a negated address, crosses no call by itself.
; RUN: %opt -passes=pointer-homing,verify -S %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

@text = internal constant [6 x i8] c"}-+?=\00"

declare ptr @memchr(ptr, i32, i64)
declare void @g()

; CHECK-LABEL: define i32 @f
; CHECK: %[[D:.*]] = sub i32 %t, ptrtoint (ptr @text to i32)
; CHECK: add i32 %[[D]], 1
; CHECK-NOT: store {{.*}}@text
; CHECK: call void @g()
define i32 @f(i32 %c) {
  %p = call ptr @memchr(ptr @text, i32 %c, i64 6)
  %i = ptrtoint ptr %p to i64
  %t = trunc i64 %i to i32
  %d = add i32 %t, add (i32 sub (i32 0, i32 ptrtoint (ptr @text to i32)), i32 1)
  call void @g()
  ret i32 %d
}
