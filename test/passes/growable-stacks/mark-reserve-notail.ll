; Each function gets a mark before its entry and asks for room for blocks of variable size, which is no migration point.
; There is no tail call with arguments in memory to another unit. Without the option nothing is done.
; RUN: %opt -passes='growable-stacks,verify' -S %s | FileCheck %s
; RUN: sed 's/="growable"/="fixed"/' %s | %opt -passes='growable-stacks,verify' -S | FileCheck %s --check-prefix=FIXED
; Running the pass once more changes nothing.
; RUN: %opt -passes='growable-stacks,growable-stacks,verify' -S %s | FileCheck %s
;
; FIXED-NOT: prefix
; FIXED-NOT: __skein_reserve

; CHECK: define void @plain() {{.*}}prefix <{ [12 x i8], i32 }> <{ [12 x i8] c"\CC{{.*}}", i32 1706233415 }>
define void @plain() "skein-stacks"="growable" {
  ret void
}

; CHECK: define void @aligned() {{.*}}align 64 prefix <{ [60 x i8], i32 }>
define void @aligned() align 64 "skein-stacks"="growable" {
  ret void
}

; CHECK: define void @bare() {{.*}}{
; CHECK-NOT: prefix
define void @bare() naked "skein-stacks"="growable" {
  ret void
}

; CHECK-LABEL: define void @dynamic(i32 %n)
; CHECK: [[N:%.*]] = zext i32 %n to i64
; CHECK: [[BYTES:%.*]] = mul i64 [[N]], 4
; CHECK: [[ALL:%.*]] = add i64 [[BYTES]], 32
; CHECK: call void @__skein_reserve(i64 [[ALL]]) #[[#STAYS:]]
; CHECK-NEXT: alloca i32, i32 %n
define void @dynamic(i32 %n) "skein-stacks"="growable" {
  %block = alloca i32, i32 %n, align 16
  call void @use(ptr %block)
  ret void
}

; CHECK-LABEL: define void @stays
; CHECK: call void @__skein_reserve(
; CHECK: ret void
define void @stays(i32 %n) "skein-nomigrate" "skein-stacks"="growable" {
  %block = alloca i32, i32 %n
  call void @use(ptr %block)
  ret void
}

; CHECK-LABEL: define void @tails
; CHECK: {{^}}  tail call void @use(
; CHECK: {{^}}  notail call void @seven(
; CHECK: {{^}}  notail call void (ptr, ...) @variadic(
; CHECK: {{^}}  musttail call void @tails(
define void @tails(ptr %p) "skein-stacks"="growable" {
  tail call void @use(ptr %p)
  tail call void @seven(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7)
  tail call void (ptr, ...) @variadic(ptr %p)
  musttail call void @tails(ptr %p)
  ret void
}

declare void @use(ptr)
declare void @seven(i64, i64, i64, i64, i64, i64, i64)
declare void @variadic(ptr, ...)

; CHECK: attributes #[[#STAYS]] = { nounwind "skein-nomigrate" }
