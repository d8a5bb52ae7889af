; With private memory asked for, libc's names mean the runtime's; each allocation says its type or its place.
; RUN: %opt -passes=private-heap,verify -skein-heap=private -S %s | FileCheck %s
; RUN: %opt -passes=private-heap,verify -S %s | FileCheck --check-prefix=PROCESS %s
target triple = "x86_64-unknown-linux-gnu"

@type = private constant [30 x i8] c"struct node|2|0|24||8.2.8 \00\00\00\00"
@pointer = global ptr @free

; CHECK: @pointer = global ptr @skein_free
; CHECK: @[[NODE:__skein_layout[.0-9a-f]+]] = linkonce_odr hidden constant {{.*}}i32 2, i32 0, i32 24, i16 0, i16 1, i32 0, [1 x { i32, i16, i16 }] [{ i32, i16, i16 } { i32 8, i16 2, i16 8 }] }, section "skein_layouts", comdat, align 8
; CHECK: c"untyped\00"
; CHECK: define ptr @typed
; CHECK: call ptr @__skein_malloc(i64 24, ptr @[[NODE]])
; PROCESS: call ptr @malloc(i64 24)
define ptr @typed() {
  %size = call i64 @__skein_sized(i64 24, ptr @type)
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}

; CHECK: define ptr @untyped
; CHECK: call ptr @__skein_calloc(i64 %n, i64 8, ptr getelementptr inbounds (i8, ptr @skein.place, i64 1))
define ptr @untyped(i64 %n) {
  %p = call ptr @calloc(i64 %n, i64 8)
  ret ptr %p
}

; The caller of an allocating function knows the type. Nothing is told about other functions.
; CHECK: define void @wrapped
; CHECK: %p = call ptr @xmalloc(i64 24)
; CHECK-NEXT: call void @__skein_heap_type(ptr %p, ptr @[[NODE]])
; CHECK-NEXT: %q = call ptr @first()
; CHECK-NEXT: %r = call ptr @xmalloc(i64 24)
; CHECK-NEXT: call void @__skein_heap_type(ptr %r, ptr @[[NODE]])
; CHECK-NEXT: ret void
define void @wrapped() {
  %p = call ptr @xmalloc(i64 24)
  %t = call ptr @__skein_typed(ptr %p, ptr @type)
  %q = call ptr @first()
  %u = call ptr @__skein_typed(ptr %q, ptr @type)
  %size = call i64 @__skein_sized(i64 24, ptr @type)
  %r = call ptr @xmalloc(i64 %size)
  ret void
}

; CHECK: define void @others
; CHECK: call ptr @skein_strdup
; CHECK: call void @skein_free
; A function that is declared in another way is not given a layout.
; CHECK: call i32 @skein_aligned_alloc(i32 1)
define void @others(ptr %s) {
  %t = call ptr @strdup(ptr %s)
  call void @free(ptr %t)
  %i = call i32 @aligned_alloc(i32 1)
  ret void
}

; A program's own function is left alone.
; CHECK: define ptr @realloc
define ptr @realloc(ptr %p, i64 %n) {
  ret ptr %p
}
; CHECK: define ptr @own
; CHECK: call ptr @realloc(ptr %p, i64 8)
define ptr @own(ptr %p) {
  %q = call ptr @realloc(ptr %p, i64 8)
  ret ptr %q
}

declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare i32 @aligned_alloc(i32)
declare ptr @strdup(ptr)
declare void @free(ptr)
declare ptr @xmalloc(i64)
declare ptr @first()
declare i64 @__skein_sized(i64, ptr)
declare ptr @__skein_typed(ptr, ptr)

; CHECK: declare noalias ptr @__skein_malloc(i64, ptr) [[ATTRIBUTES:#[0-9]+]]
; CHECK: attributes [[ATTRIBUTES]] = { {{.*}}allockind("alloc,uninitialized") allocsize(0){{.*}}"alloc-family"="skein_malloc" "skein-nomigrate" }
