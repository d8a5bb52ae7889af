; A pointer result that nobody has homed crosses a call. The proof warns, and the frame map says that the thread may not move there:
; SKEIN_PIN_UNPROVED (1) is the reason in the special_map of the first call. The other call is not pinned.
; RUN: %llc -O2 -relocation-model=pic -verify-machineinstrs %s -o - 2>%t.err | FileCheck %s
; RUN: FileCheck %s --check-prefix=WARNING --input-file=%t.err
; RUN: not %llc -O2 -relocation-model=pic -skein-warnings=unproved=error %s -o /dev/null 2>&1 \
; RUN:   | FileCheck %s --check-prefix=ERROR
; RUN: %llc -O2 -relocation-model=pic -skein-warnings=unproved=off %s -o /dev/null 2>&1 | count 0

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @f()
declare ptr @g()

; CHECK-LABEL: careless:
; CHECK: callq f@PLT
; CHECK-NEXT: [[FIRST:.Lskein_0_1]]:
; CHECK: callq f@PLT
; CHECK-NEXT: [[SECOND:.Lskein_0_2]]:
; CHECK: section skein_maps
; CHECK: .short [[FIRST]]-.Lskein_0_0
; CHECK-NEXT: .short [[SECOND]]-.Lskein_0_0
; CHECK-NEXT: .short 1 #
; CHECK-NEXT: .short 0 #
; CHECK-NEXT: .short 0 #
; CHECK-NEXT: .short 0 #
; There is one row, number 0, so 1 is the first special_map. Then come the lines, 17 and one more, doubled.
; CHECK-NEXT: .ascii "\001\000\"\002"
;
; WARNING: warning: careless.c:17:3: in function careless
; WARNING-SAME: a thread cannot migrate during this call: register rbx may hold an address across it [-Wskein-unproved]
; WARNING-NOT: warning
; ERROR: error: careless.c:17:3: in function careless
; ERROR-SAME: [-Werror,-Wskein-unproved]
define i64 @careless() #0 !dbg !6 {
  %p = call ptr @g()
  call void @f(), !heapallocsite !1, !dbg !7
  %v = load i64, ptr %p, !tbaa !10
  call void @f(), !heapallocsite !1, !dbg !8
  ret i64 %v
}

attributes #0 = { nounwind "skein-homed" }
!llvm.module.flags = !{!0, !3}
!llvm.dbg.cu = !{!4}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
!3 = !{i32 2, !"Dwarf Version", i32 5}
!4 = distinct !DICompileUnit(language: DW_LANG_C11, file: !5, isOptimized: true, emissionKind: LineTablesOnly)
!5 = !DIFile(filename: "careless.c", directory: "/")
!6 = distinct !DISubprogram(name: "careless", file: !5, line: 15, type: !9, unit: !4, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 17, column: 3, scope: !6)
!8 = !DILocation(line: 18, column: 3, scope: !6)
!9 = !DISubroutineType(types: !2)
!10 = !{!11, !11, i64 0}
!11 = !{!"long", !12, i64 0}
!12 = !{!"Simple C/C++ TBAA"}
