// With debug information, the pass that follows variables must know the block in which a function is entered. (It used
// to give a block to the shadow stack pointer, for which clang has no number, and crashed.)
// RUN: %skeincc -O2 -g -fskein-stacks=growable -w -c %root/test/stress/programs/heap-blocks-in-locals.c -o %t.o
// RUN: llvm-dwarfdump --name=text %t.o | FileCheck %s
// CHECK: DW_TAG_variable
// CHECK: DW_AT_location
