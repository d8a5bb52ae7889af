; The proof takes a loaded word for a number if the runtime is told of it before the thread can move, and if the word only
; decides a branch where the runtime is not told.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs -skein-warnings=unproved=warning %s -o %t.s 2>&1 | FileCheck %s
; CHECK-NOT: in function told 
; CHECK: warning: {{.*}}in function kept_elsewhere {{.*}}a thread cannot migrate
; CHECK: warning: {{.*}}in function told_behind_a_call {{.*}}a thread cannot migrate
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f()
declare preserve_mostcc void @__skein_address_escapes(ptr, ptr, ptr)
@how = private constant [4 x i8] c"how\00"

define i64 @told(ptr %p, i64 %b, i1 %near) #0 {
  %w = load i64, ptr %p
  %same = icmp eq i64 %w, %b
  br i1 %same, label %equal, label %differ
equal:
  call void @f(), !heapallocsite !1
  ret i64 0
differ:
  br i1 %near, label %tell, label %go
tell:
  %a = inttoptr i64 %w to ptr
  call preserve_mostcc void @__skein_address_escapes(ptr %a, ptr null, ptr @how)
  br label %go
go:
  %h = mul i64 %w, 31
  call void @f(), !heapallocsite !1
  ret i64 %h
}

define i64 @kept_elsewhere(ptr %p, i64 %b, i1 %near) #0 {
  %w = load i64, ptr %p
  %h = mul i64 %w, 31
  %same = icmp eq i64 %w, %b
  br i1 %same, label %equal, label %differ
equal:
  call void @f(), !heapallocsite !1
  ret i64 %h
differ:
  br i1 %near, label %tell, label %go
tell:
  %a = inttoptr i64 %w to ptr
  call preserve_mostcc void @__skein_address_escapes(ptr %a, ptr null, ptr @how)
  br label %go
go:
  ret i64 %h
}

define i64 @told_behind_a_call(ptr %p, i64 %b, i1 %near) #0 {
  %w = load i64, ptr %p
  %same = icmp eq i64 %w, %b
  br i1 %same, label %equal, label %differ
equal:
  ret i64 0
differ:
  %h = mul i64 %w, 31
  call void @f(), !heapallocsite !1
  br i1 %near, label %tell, label %go
tell:
  %a = inttoptr i64 %w to ptr
  call preserve_mostcc void @__skein_address_escapes(ptr %a, ptr null, ptr @how)
  br label %go
go:
  ret i64 %h
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
