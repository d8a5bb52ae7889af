; Others know a local that is smaller than an address, such as the byte that `read` fills. What lies around it in memory
; is not shown: it is nothing of this local, and an address there would keep the thread in its place.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @fill(ptr)

; CHECK-LABEL: define i8 @byte(
; CHECK-NOT: load volatile
; CHECK: ret
define i8 @byte() {
  %c = alloca i8, align 1
  call void @fill(ptr %c)
  %read = load i8, ptr %c, align 1
  %changed = xor i8 %read, 5
  ret i8 %changed
}

; The last four bytes of a local of twelve, after the one whole word in it.
; CHECK-LABEL: define i32 @end(
; CHECK-NOT: load volatile
; CHECK: ret
define i32 @end() {
  %c = alloca [12 x i8], align 8
  call void @fill(ptr %c)
  %at = getelementptr inbounds i8, ptr %c, i64 8
  %read = load i32, ptr %at, align 4
  %changed = xor i32 %read, 5
  ret i32 %changed
}

; Six bytes may be an address.
; CHECK-LABEL: define i8 @six(
; CHECK: load volatile
; CHECK: ret
define i8 @six() {
  %c = alloca [6 x i8], align 1
  call void @fill(ptr %c)
  %read = load i8, ptr %c, align 1
  %changed = xor i8 %read, 5
  ret i8 %changed
}

; So may the last eight bytes of a local of fourteen that nobody has aligned.
; CHECK-LABEL: define i32 @unaligned(
; CHECK: load volatile
; CHECK: ret
define i32 @unaligned() {
  %c = alloca [14 x i8], align 1
  call void @fill(ptr %c)
  %at = getelementptr inbounds i8, ptr %c, i64 10
  %read = load i32, ptr %at, align 1
  %changed = xor i32 %read, 5
  ret i32 %changed
}
