// Calls to functions that a system header declares, or that are annotated, are no migration points; all others are.
// RUN: %skeincc -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %skeincc -O1 -E %s -o %t.i && %skeincc -O1 -S -emit-llvm %t.i -o - | FileCheck %s
#include <glob.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

void outside(void);
SKEIN_NOMIGRATE void calm(void);
static int order(const char *path, int why) { return *path + why; }

// IR knows none of these from TargetLibraryInfo alone.
// CHECK-LABEL: @library(
int library(int *level, glob_t *files) {
  getpriority(*level, 1); // CHECK: @getpriority({{[^!]*(!dbg ![0-9]+)?$}}
  globfree(files);        // CHECK: @globfree({{[^!]*(!dbg ![0-9]+)?$}}
  // A callback that asks to migrate finds glob's own frame on the stack and is told so.
  glob("*", 0, order, files); // CHECK: @glob({{[^!]*(!dbg ![0-9]+)?$}}
  return *level;
}

// One redirected to another assembler name by its header.
// CHECK-LABEL: @redirected(
int redirected(FILE *file, int *to) {
  int n = fscanf(file, "%d", to); // CHECK: @__isoc99_fscanf({{[^!]*(!dbg ![0-9]+)?$}}
  return n + *to;
}

// CHECK-LABEL: @annotated(
int annotated(int *p) {
  calm(); // CHECK: @calm({{[^!]*(!dbg ![0-9]+)?$}}
  return *p;
}

// Our own header is no system header.
// CHECK-LABEL: @migrates(
int migrates(int *p, void (*indirect)(void)) {
  outside();     // CHECK: @outside({{.*}}!heapallocsite
  skein_yield(); // CHECK: @skein_yield({{.*}}!heapallocsite
  indirect();    // CHECK: call void %{{.*}}!heapallocsite
  return *p;
}

// Installed among the system's headers, it is still no system header.
// RUN: %skeincc -O1 -S -emit-llvm -isystem %build/include %s -o - | FileCheck %s
