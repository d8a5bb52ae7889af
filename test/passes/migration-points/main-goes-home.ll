; Before main returns, exits or registers an exit handler, it goes back to node 0. Any function that may migrate does
; so, and none that may not.
; RUN: %opt -passes=migration-points,verify -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @atexit(ptr) #0
declare void @exit(i32) #0
declare void @unknown()

define void @handler() {
  ret void
}

; CHECK-LABEL: define i32 @main()
; CHECK: call void @__skein_home()
; CHECK-NEXT: call i32 @atexit(
; CHECK: call void @__skein_home()
; CHECK-NEXT: ret i32 3
define i32 @main() {
  %registered = call i32 @atexit(ptr @handler)
  ret i32 3
}

; CHECK-LABEL: define void @moves_and_ends()
; CHECK: call void @unknown()
; CHECK-NEXT: call void @__skein_home()
; CHECK-NEXT: call void @exit(
define void @moves_and_ends() {
  call void @unknown()
  call void @exit(i32 1)
  unreachable
}

; CHECK-LABEL: define void @gives_up(
; CHECK-NOT: __skein_home
define void @gives_up(i1 %wrong) {
  br i1 %wrong, label %end, label %go.on
end:
  call void @exit(i32 1)
  unreachable
go.on:
  ret void
}

; An exit that the program defines is left alone.
define void @on_exit() {
  call void @unknown()
  ret void
}
; CHECK-LABEL: define void @calls_its_own()
; CHECK-NEXT: call void @on_exit()
define void @calls_its_own() {
  call void @on_exit()
  ret void
}

attributes #0 = { "skein-nomigrate" }
