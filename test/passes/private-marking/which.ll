; Thread-local and annotated variables are private. With -skein-globals=private, so are all that can change and have no
; section.
; RUN: %opt -passes=private-marking,verify -S %s | FileCheck %s --check-prefixes=CHECK,PROCESS
; RUN: %opt -passes=private-marking,verify -skein-globals=private -S %s 2>&1 | FileCheck %s --check-prefixes=CHECK,PRIVATE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; PRIVATE: warning: variable 'registered' stays with the process, although globals are private: it has a section of its own ('registry') [-Wskein-global]
; CHECK-DAG: @local = hidden global i32 5 #[[T:[0-9]+]]
; CHECK-DAG: @meant = hidden global i32 6 #[[P:[0-9]+]]
; PRIVATE-DAG: @plain = hidden global i32 7 #[[G:[0-9]+]]
; PROCESS-DAG: @plain = global i32 7{{$}}
; PRIVATE-DAG: @elsewhere = external hidden global i32 #[[G]]
; CHECK-DAG: @registered = global i32 8, section "registry"{{$}}
; CHECK-DAG: @constant = constant i32 9{{$}}
; CHECK-DAG: @stdout = external global ptr{{$}}
; CHECK-DAG: @_ZTVN10__cxxabiv117__class_type_infoE = external global ptr{{$}}
; The list of annotations keeps what is not Skein's.
; CHECK-DAG: @llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{{.*}}@plain
@local = thread_local global i32 5
@meant = global i32 6
@plain = global i32 7
@elsewhere = external global i32
@registered = global i32 8, section "registry"
@constant = constant i32 9
@stdout = external global ptr
@_ZTVN10__cxxabiv117__class_type_infoE = external global ptr
@word = private unnamed_addr constant [14 x i8] c"skein-private\00", section "llvm.metadata"
@other = private unnamed_addr constant [6 x i8] c"other\00", section "llvm.metadata"
@file = private unnamed_addr constant [4 x i8] c"a.c\00", section "llvm.metadata"
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @meant, ptr @word, ptr @file, i32 1, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @plain, ptr @other, ptr @file, i32 2, ptr null }], section "llvm.metadata"

; CHECK-LABEL: @read(
define i32 @read() {
; CHECK: load i32, ptr @local
  %p = call ptr @llvm.threadlocal.address.p0(ptr @local)
  %v = load i32, ptr %p
  ret i32 %v
}

declare ptr @llvm.threadlocal.address.p0(ptr)
; CHECK-DAG: attributes #[[T]] = { "skein-private"="thread" }
; CHECK-DAG: attributes #[[P]] = { "skein-private" }
; PRIVATE-DAG: attributes #[[G]] = { "skein-private"="program" }
