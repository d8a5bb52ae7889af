//===- NonMigratingFunctions.cpp - One set for the process -----------------===//
//
// clang compiles one translation unit in each process (cc1). When it runs the jobs of `clang a.c b.c` in its own
// process, it makes each a new cc1, so the names of one unit are never seen by another.
//
//===----------------------------------------------------------------------===//
#include "NonMigratingFunctions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace skein {

static llvm::StringMap<NonMigrating> &names() {
  static llvm::StringMap<NonMigrating> Names;
  return Names;
}

static llvm::StringRef withoutMarker(llvm::StringRef Name) {
  Name.consume_front("\1");
  return Name;
}

void addNonMigrating(llvm::StringRef AssemblerName, NonMigrating Why) {
  NonMigrating &Known = names()[withoutMarker(AssemblerName)];
  Known = std::max(Known, Why);
}

NonMigrating declaredNonMigrating(llvm::StringRef AssemblerName) {
  return names().lookup(withoutMarker(AssemblerName));
}

static llvm::StringSet<> &sameNames() {
  static llvm::StringSet<> Names;
  return Names;
}

void addSameMoves(llvm::StringRef AssemblerName) { sameNames().insert(withoutMarker(AssemblerName)); }

bool declaredSameMoves(llvm::StringRef AssemblerName) { return sameNames().contains(withoutMarker(AssemblerName)); }

} // namespace skein
