; Each kind of call is lowered, and what clang stores in the buffer of __builtin_setjmp is removed.
; RUN: %opt -passes=jump-lowering,verify -S %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i32 @calls(
; CHECK-NEXT: %a = call i32 @__skein_setjmp(ptr %b, i32 0) #[[TWICE:[0-9]+]]
; CHECK-NOT: setjmp
; CHECK: = call i32 @__skein_setjmp(ptr %b, i32 1) #[[TWICE]]
; CHECK: = call i32 @__skein_setjmp(ptr %b, i32 %m) #[[TWICE]]
; CHECK: = call i32 @__skein_setjmp(ptr %b, i32 %m) #[[TWICE]]
define i32 @calls(ptr %b, i32 %m) {
  %a = call i32 @_setjmp(ptr %b) returns_twice
  %c = call i32 @setjmp(ptr %b) returns_twice
  %d = call i32 @sigsetjmp(ptr %b, i32 %m) returns_twice
  %e = call i32 @__sigsetjmp(ptr %b, i32 %m) returns_twice
  %ac = add i32 %a, %c
  %de = add i32 %d, %e
  %r = add i32 %ac, %de
  ret i32 %r
}

; CHECK-LABEL: define i32 @builtin(
; CHECK-NOT: store
; CHECK: call i32 @__skein_builtin_setjmp(ptr %buffer, ptr %skein.scratch) #[[TWICE]]
; CHECK: store ptr null, ptr %buffer
define i32 @builtin() {
  %buffer = alloca [5 x ptr]
  %frame = call ptr @llvm.frameaddress.p0(i32 0)
  store ptr %frame, ptr %buffer
  %sp = call ptr @llvm.stacksave.p0()
  %third = getelementptr inbounds ptr, ptr %buffer, i64 2
  store ptr %sp, ptr %third
  %r = call i32 @llvm.eh.sjlj.setjmp(ptr %buffer)
  store ptr null, ptr %buffer
  ret i32 %r
}

; CHECK-LABEL: define void @back(
; CHECK-NEXT: call void @__skein_builtin_longjmp(ptr %buffer, i32 1)
; CHECK-NEXT: unreachable
define void @back(ptr %buffer) {
  call void @llvm.eh.sjlj.longjmp(ptr %buffer)
  unreachable
}

; libc jumps to what pthread_cleanup_push has saved.
; CHECK-LABEL: define void @cancellation(
; CHECK: call i32 @__sigsetjmp(
define void @cancellation(ptr %b) {
  %r = call i32 @__sigsetjmp(ptr %b, i32 0) returns_twice
  call void @__pthread_register_cancel(ptr %b)
  ret void
}

; CHECK-LABEL: define void @nothing(
; CHECK-NEXT: call void @longjmp(
define void @nothing(ptr %b) {
  call void @longjmp(ptr %b, i32 1)
  unreachable
}

; CHECK: attributes #[[TWICE]] = { nounwind returns_twice }
declare i32 @_setjmp(ptr) returns_twice
declare i32 @setjmp(ptr) returns_twice
declare i32 @sigsetjmp(ptr, i32) returns_twice
declare i32 @__sigsetjmp(ptr, i32) returns_twice
declare void @__pthread_register_cancel(ptr)
declare void @longjmp(ptr, i32)
declare ptr @llvm.frameaddress.p0(i32)
declare ptr @llvm.stacksave.p0()
declare i32 @llvm.eh.sjlj.setjmp(ptr)
declare void @llvm.eh.sjlj.longjmp(ptr)
