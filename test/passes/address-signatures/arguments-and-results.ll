; An argument or result is an address if everything that arrives there is one, and at least one address arrives.
; RUN: %opt -passes=address-signatures,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define internal "skein-address" i64 @both(i64 "skein-address" %a, i64 %n)
define internal i64 @both(i64 %a, i64 %n) {
  %b = add i64 %a, %n
  ret i64 %b
}

; The function passes on its own argument, so both solutions are needed.
; CHECK: define internal i64 @again(i64 "skein-address" %a)
define internal i64 @again(i64 %a) {
  %b = add i64 %a, 8
  %r = call i64 @again(i64 %b)
  ret i64 %r
}

; CHECK: define internal i64 @counter(i64 %n)
define internal i64 @counter(i64 %n) {
  %m = sub i64 %n, 1
  %r = call i64 @counter(i64 %m)
  ret i64 %r
}

; The argument is an address in one call and a number in the other, so it may be either.
; CHECK: define internal void @mixed(i64 "skein-ambiguous" %x)
define internal void @mixed(i64 %x) {
  ret void
}

; The function's address is taken, so anything may call it.
; CHECK: define internal void @taken(i64 "skein-ambiguous" %x)
define internal void @taken(i64 %x) {
  ret void
}

; CHECK: define void @extern(i64 "skein-ambiguous" %x)
define void @extern(i64 %x) {
  ret void
}

@f = global ptr @taken

define void @main(ptr %p, i64 %n) {
  %a = ptrtoint ptr %p to i64
  %t = or i64 %a, 1
  %r = call i64 @both(i64 %t, i64 %n)
  call i64 @both(i64 0, i64 3)
  call i64 @again(i64 %r)
  call i64 @counter(i64 5)
  call void @mixed(i64 %a)
  call void @mixed(i64 %n)
  call void @taken(i64 %a)
  call void @extern(i64 %a)
  ret void
}
