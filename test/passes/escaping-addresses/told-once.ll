; An address of which a number is made at several places is told at the first one, if that always comes before.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @twice(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK-NOT: __skein_address_escapes
; CHECK: ret void
define void @twice(ptr %p, ptr %to) {
  %a = ptrtoint ptr %p to i64
  %h = mul i64 %a, 31415
  store i64 %h, ptr %to
  %x = xor i64 %a, 27182
  %q = getelementptr inbounds i8, ptr %to, i64 8
  store i64 %x, ptr %q
  ret void
}

; CHECK-LABEL: define void @either(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: call preserve_mostcc void @__skein_address_escapes(
; CHECK: ret void
define void @either(ptr %p, ptr %to, i1 %which) {
  %a = ptrtoint ptr %p to i64
  br i1 %which, label %one, label %two
one:
  %h = mul i64 %a, 31415
  store i64 %h, ptr %to
  br label %end
two:
  %x = xor i64 %a, 27182
  store i64 %x, ptr %to
  br label %end
end:
  ret void
}
