// Calls of functions that a system header declares, and of which Skein has a version, are redirected, and so are
// pointers to them. Functions that the program defines or declares itself are not.

// RUN: %skeincc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %skeincc -O2 -S -emit-llvm -mllvm -skein-library-calls=0 %s -o - | FileCheck %s --check-prefix=OFF
// CHECK: @kept = {{.*}}@__skein_c_qsort
// CHECK-LABEL: define {{.*}}@sorted
// CHECK: call void @__skein_c_qsort(
// CHECK-LABEL: define {{.*}}@found
// CHECK: call {{.*}}@lfind(
// OFF-LABEL: define {{.*}}@sorted
// OFF: call void @qsort(

#include <stdlib.h>

int by_value(const void *, const void *);
void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));

void (*kept)(void *, size_t, size_t, int (*)(const void *, const void *)) = qsort;

void sorted(int *numbers, size_t count) { qsort(numbers, count, sizeof *numbers, by_value); }

int *found(int key, int *numbers, size_t count) { return lfind(&key, numbers, &count, sizeof *numbers, by_value); }
