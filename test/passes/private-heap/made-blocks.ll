; Whose result may be a block that was just allocated. Where its body is seen, a function is not taken for one by its
; name: it must call an allocating function, or something through a pointer. A function that another unit may define
; differently, or that is only declared, is taken for one by its name.
; RUN: %opt -passes=private-heap,verify -skein-heap=private -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

@type = private constant [30 x i8] c"struct node|2|0|24||8.2.8 \00\00\00\00"

; CHECK-LABEL: define void @calls
define void @calls(ptr %p) {
; CHECK: %a = call ptr @get_first(
; CHECK-NEXT: %b = call ptr @get_new(
; CHECK-NEXT: call void @__skein_heap_type(ptr %b,
; CHECK-NEXT: %c = call ptr @outer(
; CHECK-NEXT: call void @__skein_heap_type(ptr %c,
; CHECK-NEXT: %d = call ptr @get_by_pointer(
; CHECK-NEXT: call void @__skein_heap_type(ptr %d,
; CHECK-NEXT: %e = call ptr @by_pointer(
; CHECK-NEXT: %f = call ptr @get_weak(
; CHECK-NEXT: call void @__skein_heap_type(ptr %f,
; CHECK-NEXT: %g = call ptr @get_elsewhere(
; CHECK-NEXT: call void @__skein_heap_type(ptr %g,
; CHECK-NEXT: %h = call ptr @get_counted(
; CHECK-NEXT: ret void
  %a = call ptr @get_first(ptr %p)
  %at = call ptr @__skein_typed(ptr %a, ptr @type)
  %b = call ptr @get_new(ptr %p)
  %bt = call ptr @__skein_typed(ptr %b, ptr @type)
  %c = call ptr @outer(ptr %p)
  %ct = call ptr @__skein_typed(ptr %c, ptr @type)
  %d = call ptr @get_by_pointer(ptr %p)
  %dt = call ptr @__skein_typed(ptr %d, ptr @type)
  %e = call ptr @by_pointer(ptr %p)
  %et = call ptr @__skein_typed(ptr %e, ptr @type)
  %f = call ptr @get_weak(ptr %p)
  %ft = call ptr @__skein_typed(ptr %f, ptr @type)
  %g = call ptr @get_elsewhere(ptr %p)
  %gt = call ptr @__skein_typed(ptr %g, ptr @type)
  %h = call ptr @get_counted(ptr %p)
  %ht = call ptr @__skein_typed(ptr %h, ptr @type)
  ret void
}

define ptr @get_first(ptr %p) {
  %first = load ptr, ptr %p
  ret ptr %first
}
define ptr @get_new(ptr %p) {
  %made = call ptr @malloc(i64 24)
  ret ptr %made
}
define ptr @outer(ptr %p) {
  %made = call ptr @get_new(ptr %p)
  ret ptr %made
}
define ptr @get_by_pointer(ptr %p) {
  %f = load ptr, ptr %p
  %made = call ptr %f(i64 24)
  ret ptr %made
}
define ptr @by_pointer(ptr %p) {
  %f = load ptr, ptr %p
  %made = call ptr %f(i64 24)
  ret ptr %made
}
define weak ptr @get_weak(ptr %p) {
  ret ptr %p
}
declare ptr @get_elsewhere(ptr)
; What it allocates is not its result.
define ptr @get_counted(ptr %p) {
  %n = call i32 @count_in_new(ptr %p)
  ret ptr %p
}
define i32 @count_in_new(ptr %p) {
  %made = call ptr @malloc(i64 24)
  ret i32 0
}

declare ptr @malloc(i64)
declare ptr @__skein_typed(ptr, ptr)
