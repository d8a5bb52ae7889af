; By the path that a program takes, or by what it finds at an index, it can make a number of an address without ever
; computing one. So the runtime is told of an index that a move would change, and without the optimiser also of such a
; condition. It is not told of those that a move does not change.
; RUN: %opt -passes=escaping-addresses,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @bit(
; CHECK: call void @__skein_address_escapes_c(ptr %p, ptr null,
define i64 @bit(ptr %p) #0 {
  %a = ptrtoint ptr %p to i64
  %b = and i64 %a, 65536
  %c = icmp eq i64 %b, 0
  br i1 %c, label %zero, label %one
zero:
  ret i64 0
one:
  ret i64 1
}
; CHECK-LABEL: define i64 @digit(
; CHECK: call void @__skein_address_escapes_c(ptr %p, ptr null,
define i64 @digit(ptr %p) #0 {
  %a = ptrtoint ptr %p to i64
  %b = lshr i64 %a, 20
  %c = and i64 %b, 15
  switch i64 %c, label %other [
    i64 0, label %zero
  ]
zero:
  ret i64 0
other:
  ret i64 1
}
; CHECK-LABEL: define i8 @looked_up(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null,
define i8 @looked_up(ptr %p, ptr %table) {
  %a = ptrtoint ptr %p to i64
  %b = lshr i64 %a, 20
  %c = and i64 %b, 15
  %d = getelementptr i8, ptr %table, i64 %c
  %x = load i8, ptr %d
  ret i8 %x
}
; Two integers were pointers, and only at run time is it known where they lead. It matters if one of them leads into the
; stack, or if both do while other addresses of the program lie elsewhere.
; CHECK-LABEL: define void @distance(
; CHECK-COUNT-3: call preserve_mostcc void @__skein_address_escapes(
define void @distance(ptr %p, ptr %q, ptr %to) {
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  %d = sub i64 %a, %b
  store i64 %d, ptr %to
  ret void
}
; CHECK-NOT: @__skein_address_escapes
; CHECK-LABEL: define i64 @low_bits(
define i64 @low_bits(ptr %p, ptr %table) {
  %a = ptrtoint ptr %p to i64
  %b = and i64 %a, 4095
  %c = icmp eq i64 %b, 0
  br i1 %c, label %zero, label %one
zero:
  ret i64 0
one:
  %s = lshr i64 %a, 4
  %t = and i64 %s, 255
  %d = getelementptr i64, ptr %table, i64 %t
  %x = load i64, ptr %d
  ret i64 %x
}
define i64 @null(ptr %p, ptr %q) {
  %c = icmp eq ptr %p, null
  br i1 %c, label %zero, label %one
zero:
  ret i64 0
one:
  %d = icmp ult ptr %p, %q
  br i1 %d, label %zero, label %two
two:
  ret i64 2
}
attributes #0 = { noinline optnone }
; In optimised code the same is told, except for characters.
; CHECK-LABEL: define i64 @optimised(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null,
define i64 @optimised(ptr %p) {
  %a = ptrtoint ptr %p to i64
  %b = and i64 %a, 65536
  %c = icmp eq i64 %b, 0
  br i1 %c, label %zero, label %one
zero:
  ret i64 0
one:
  ret i64 1
}
; CHECK-LABEL: define i64 @character(
; CHECK-NOT: call
; CHECK: ret i64 1
define i64 @character(ptr %text) {
  %b = load i8, ptr %text
  %c = xor i8 %b, 32
  %d = icmp eq i8 %c, 65
  br i1 %d, label %zero, label %one
zero:
  ret i64 0
one:
  ret i64 1
}
; The highest bits are the same in every address.
; CHECK-LABEL: define i64 @kind(
; CHECK-NOT: call
; CHECK: ret i64 1
define i64 @kind(ptr %box) {
  %v = load i64, ptr %box
  %k = lshr i64 %v, 48
  %d = icmp eq i64 %k, 65535
  br i1 %d, label %zero, label %one
zero:
  ret i64 0
one:
  ret i64 1
}
; The bits below are not.
; CHECK-LABEL: define i64 @high_bits(
; CHECK: call preserve_mostcc void @__skein_address_escapes(ptr %p, ptr null,
define i64 @high_bits(ptr %p) {
  %v = ptrtoint ptr %p to i64
  %k = lshr i64 %v, 46
  %d = icmp ugt i64 %k, 0
  br i1 %d, label %zero, label %one
zero:
  ret i64 0
one:
  ret i64 1
}
