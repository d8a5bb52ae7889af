; A function that catches is like any other: the exception has a home while the handler runs, and what the handler
; still needs is reloaded in the landing pad and after each call.
; RUN: %opt -passes=pointer-homing,verify -S %s 2>/dev/null | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: invoke void @g()
; CHECK: landingpad
; CHECK: %c = call ptr @__cxa_begin_catch
; CHECK: store ptr %c, ptr %c.home
; CHECK: call void @g(){{.*}} !heapallocsite ![[SITE:[0-9]+]]
; CHECK-DAG: %[[C:.*]] = load ptr, ptr %c.home
; CHECK-DAG: %[[P:.*]] = load ptr, ptr %p.home
; CHECK: call void @use(ptr %[[C]], ptr %[[P]])
; CHECK: ![[SITE]] = !{!"skein.site", i64 0,
define void @f(ptr %p) personality ptr @__gxx_personality_v0 {
  invoke void @g() to label %ok unwind label %pad
ok:
  ret void
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %c = call ptr @__cxa_begin_catch(ptr %e)
  call void @g()
  call void @use(ptr %c, ptr %p)
  call void @__cxa_end_catch()
  ret void
}
declare void @g()
declare void @use(ptr, ptr)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare i32 @__gxx_personality_v0(...)
