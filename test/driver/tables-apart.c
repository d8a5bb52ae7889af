/* The runtime's large tables lie behind its other variables, so that the start of a program touches few pages. */

// RUN: %skeincc -O2 %s -o %t
// RUN: llvm-readelf -SW %t | FileCheck %s
// CHECK: .bss {{ *}}NOBITS {{ *[0-9a-f]+ [0-9a-f]+}} 00{{[0-9a-f]{4} }}
// CHECK: skein_tables {{ *}}NOBITS {{ *[0-9a-f]+ [0-9a-f]+}} {{[0-9a-f]*[1-9a-f][0-9a-f]{5} }}

int main(void) { return 0; }
