; A recursion that reaches nothing else is proved, and so are its callers. One call that cannot be followed refutes all
; functions that lead there. A function that gets polls later is not looked at.
; RUN: %opt -passes=non-migrating-proof,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define i64 @even(i64 %n) #[[PROVED:[0-9]+]]
define i64 @even(i64 %n) #0 {
  %m = call i64 @odd(i64 %n)
  ret i64 %m
}
; CHECK: define i64 @odd(i64 %n) #[[PROVED]]
define i64 @odd(i64 %n) #0 {
  %m = call i64 @even(i64 %n)
  ret i64 %m
}
; CHECK: define void @leads() #[[NOT:[0-9]+]]
define void @leads() #0 {
  call void @reaches()
  ret void
}
; CHECK: define void @reaches() #[[NOT]]
define void @reaches() #0 {
  call void @unknown()
  ret void
}
; CHECK: define void @polled() #[[POLLED:[0-9]+]]
define void @polled() #1 {
  ret void
}
declare void @unknown()
; CHECK-DAG: attributes #[[PROVED]] = { "skein-compiled" "skein-nomigrate" }
; CHECK-DAG: attributes #[[NOT]] = { "skein-compiled" }
; CHECK-DAG: attributes #[[POLLED]] = { "skein-compiled" "skein-polls"="loops" }
attributes #0 = { "skein-compiled" }
attributes #1 = { "skein-compiled" "skein-polls"="loops" }
