; An integer taken out of the result of a compare-and-exchange is taken out before the call, and homed if it is an address.

; RUN: %opt -passes='pointer-homing,verify' -S %s | FileCheck %s

declare void @h()

; CHECK-LABEL: define i64 @f
; CHECK:      %pair = cmpxchg
; CHECK-DAG:  extractvalue { i64, i1 } %pair, 0
; CHECK-DAG:  store i64 %old, ptr %old.home
; CHECK:      call void @h()
; CHECK-NOT:  extractvalue
; CHECK:      load i64, ptr %old.home
define i64 @f(ptr %at, i64 %expected, i64 %new) {
  %pair = cmpxchg ptr %at, i64 %expected, i64 %new seq_cst seq_cst
  call void @h()
  %old = extractvalue { i64, i1 } %pair, 0
  %p = inttoptr i64 %old to ptr
  %v = load i64, ptr %p
  ret i64 %v
}
