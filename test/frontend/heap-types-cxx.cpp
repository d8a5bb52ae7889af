// This shows the type that is found for each new expression, as the pass that reads it sees it.
// RUN: %plain-skeincc -std=c++20 -O0 -fskein-heap=private -w -S -emit-llvm -Xclang -disable-llvm-passes %s -o - | FileCheck %s

struct Plain {
  long number;
  char *text;
};
struct Owner {
  ~Owner();
  char *name;
  Owner *next;
};
struct alignas(64) Aligned {
  ~Aligned();
  char *name;
};

Plain *one() { return new Plain; }
Plain *several(int n) { return new Plain[n]; }
// A count lies in front of objects with destructors.
Owner *owners(int n) { return new Owner[n]; }
Aligned *aligned(int n) { return new Aligned[n]; }

// CHECK-DAG: @"__skein_new:_Znwm:Plain|0|0|16||8.1.8 "
// CHECK-DAG: @"__skein_new:_Znam:Plain|0|0|16||8.1.8 "
// CHECK-DAG: @"__skein_new:_Znam:Owner|0|8|16||0.2.8 "
// CHECK-DAG: @"__skein_new:_ZnamSt11align_val_t:Aligned|0|64|64||0.1.8 "
