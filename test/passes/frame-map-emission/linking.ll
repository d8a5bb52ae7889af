; This shows how assemblers and linkers treat the section.
;
; A map goes with its function: --gc-sections drops both, and a comdat keeps one of each.
; RUN: %llc -O2 -relocation-model=pic -function-sections -verify-machineinstrs -filetype=obj %s -o %t.o
; RUN: %clang -fuse-ld=lld -nostdlib -Wl,--gc-sections,-e,start %t.o %t.o -Wl,-z,muldefs -o %t.exe
; RUN: %python %root/test/abi/frame_maps.py %t.exe | FileCheck %s
; CHECK-NOT: function unused
; CHECK: function start of {{.*}}linking.ll:
; CHECK: function shared of
; CHECK-NOT: function
;
; Without sections per function they are all there, the functions of the second copy too.
; RUN: %llc -O2 -relocation-model=pic -filetype=obj %s -o %t.one.o
; RUN: %clang -fuse-ld=lld -nostdlib -Wl,-e,start %t.one.o -o %t.one.exe
; RUN: %python %root/test/abi/frame_maps.py %t.one.exe | FileCheck %s --check-prefix=ALL
; ALL-DAG: function start of
; ALL-DAG: function unused of
; ALL-DAG: function shared of
; ALL-DAG: function local of
;
; The printed assembly gives the same maps, by clang's assembler and by GNU's, and GNU's linker takes them.
; RUN: %llc -O2 -relocation-model=pic %s -o %t.s
; RUN: %clang -c %t.s -o %t.s.o
; RUN: llvm-readelf -x skein_maps %t.one.o | tail -n +2 > %t.direct
; RUN: llvm-readelf -x skein_maps %t.s.o | tail -n +2 > %t.printed
; RUN: cmp %t.direct %t.printed
; RUN: as %t.s -o %t.gas.o
; RUN: %clang -fuse-ld=bfd -nostdlib -Wl,-e,start %t.gas.o -o %t.gas.exe
; RUN: %python %root/test/abi/frame_maps.py %t.gas.exe | FileCheck %s --check-prefix=ALL
;
; The section is read-only and needs no relocation at load time.
; RUN: %clang -fuse-ld=lld -shared -nostdlib %t.o -o %t.so
; RUN: llvm-readelf -SrW %t.so | FileCheck %s --check-prefix=ELF
; ELF: skein_maps PROGBITS {{[0-9a-f]+ [0-9a-f]+ [0-9a-f]+}} 00 AL {{[0-9]+}} 0 4
; ELF-NOT: R_X86_64_RELATIVE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

$shared = comdat any

define hidden void @start() #0 {
  call void @shared(), !heapallocsite !1
  ret void
}
define hidden void @unused() #0 {
  call void @local(), !heapallocsite !1
  ret void
}
define linkonce_odr hidden void @shared() #0 comdat {
  call void @start(), !heapallocsite !1
  ret void
}
define internal void @local() #0 {
  call void @start(), !heapallocsite !1
  ret void
}

attributes #0 = { nounwind noinline "skein-homed" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"skein.site", i64 0, i64 0, i64 0, !2, !2}
!2 = !{}
