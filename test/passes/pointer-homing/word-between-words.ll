; A full word that is read at an unknown place of a local may begin within one of its words, so these are its witnesses.
; One that is aligned is one of these words, all of which are addresses.
; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @migrate()
declare void @use(i64)

; CHECK-LABEL: define void @between(
; CHECK:         %[[FIRST:.*]] = load volatile i64
; CHECK:         %[[SECOND:.*]] = load volatile i64
; CHECK:         %word = load i64, ptr %at, align 1
; CHECK-DAG:     store volatile i64 %[[FIRST]], ptr %skein.witness
; CHECK-DAG:     store volatile i64 %[[SECOND]], ptr %skein.witness
; CHECK:         call void @migrate()
define void @between(ptr %p, ptr %q, i64 %n) {
  %words = alloca [2 x ptr]
  %second = getelementptr i8, ptr %words, i64 8
  store ptr %p, ptr %words
  store ptr %q, ptr %second
  %at = getelementptr i8, ptr %words, i64 %n
  %word = load i64, ptr %at, align 1
  call void @migrate()
  call void @use(i64 %word)
  ret void
}

; CHECK-LABEL: define void @aligned(
; CHECK-NOT:     load volatile
; CHECK:         %word = load i64, ptr %at, align 8
; CHECK:         store i64 %word, ptr %word.home
; CHECK:         call void @migrate()
define void @aligned(ptr %p, ptr %q, i64 %n) {
  %words = alloca [2 x ptr]
  %second = getelementptr i8, ptr %words, i64 8
  store ptr %p, ptr %words
  store ptr %q, ptr %second
  %at = getelementptr i64, ptr %words, i64 %n
  %word = load i64, ptr %at, align 8
  call void @migrate()
  call void @use(i64 %word)
  ret void
}
