; A recursion without other calls cannot migrate; one that calls something unknown may.
; RUN: %opt -passes=migration-points,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define i32 @leaf(i32 %n) #[[LEAF:[0-9]+]]
; CHECK: define i32 @caller(i32 %n) #[[LEAF]]
; CHECK: define i32 @reaches(i32 %n) #[[OTHER:[0-9]+]]
; CHECK: attributes #[[LEAF]] = {{.*}}"skein-nomigrate"
; CHECK-NOT: attributes #[[OTHER]] = {{.*}}"skein-nomigrate"
define i32 @leaf(i32 %n) {
  %m = sub i32 %n, 1
  %r = call i32 @leaf(i32 %m)
  ret i32 %r
}
define i32 @caller(i32 %n) {
  %r = call i32 @leaf(i32 %n)
  %a = call i32 @abs(i32 %r)
  ret i32 %a
}
define i32 @reaches(i32 %n) {
  %r = call i32 @unknown(i32 %n)
  ret i32 %r
}
declare i32 @abs(i32)
declare i32 @unknown(i32)
