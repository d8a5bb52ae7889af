; One unit declares f SKEIN_NOMIGRATE, and the unit that defines f does not say so. The linker, which sees both, checks
; it.
; RUN: not %opt -passes=linked-claims,verify -S %s -o /dev/null 2>&1 | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: error: {{.*}}'f' is SKEIN_NOMIGRATE but may reach a migration point: f calls between calls skein_yield
define void @f() #0 {
  call void @between()
  ret void
}
define void @between() #0 {
  call void @skein_yield()
  ret void
}
declare void @skein_yield()
attributes #0 = { "skein-compiled" }
!skein.claims = !{!0}
!0 = !{!"f"}
