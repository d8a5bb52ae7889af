//===- NonMigratingFunctions.cpp - One set for the process -----------------===//
//
// clang compiles one translation unit per process (cc1), but several when it runs the jobs of `clang a.c b.c` in its
// own process; each of these is a fresh cc1, so names of one unit are never seen by another.
//
//===----------------------------------------------------------------------===//
#include "NonMigratingFunctions.h"
#include "llvm/ADT/StringSet.h"

namespace skein {

static llvm::StringSet<> &names() {
  static llvm::StringSet<> Names;
  return Names;
}

static llvm::StringRef withoutMarker(llvm::StringRef Name) {
  Name.consume_front("\1");
  return Name;
}

void addNonMigrating(llvm::StringRef AssemblerName) { names().insert(withoutMarker(AssemblerName)); }

bool isDeclaredNonMigrating(llvm::StringRef AssemblerName) { return names().contains(withoutMarker(AssemblerName)); }

} // namespace skein
