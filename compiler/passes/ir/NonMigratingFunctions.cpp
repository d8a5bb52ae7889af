//===- NonMigratingFunctions.cpp - One set for the process -----------------===//
//
// clang compiles one translation unit in each process (cc1). When it runs the jobs of `clang a.c b.c` in its own
// process, it makes each a new cc1, so the names of one unit are never seen by another.
//
//===----------------------------------------------------------------------===//
#include "NonMigratingFunctions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/GlobalValue.h"

namespace skein {

static llvm::StringMap<NonMigrating> &names() {
  static llvm::StringMap<NonMigrating> Names;
  return Names;
}

void addNonMigrating(llvm::StringRef AssemblerName, NonMigrating Why) {
  NonMigrating &Known = names()[llvm::GlobalValue::dropLLVMManglingEscape(AssemblerName)];
  Known = std::max(Known, Why);
}

NonMigrating declaredNonMigrating(llvm::StringRef AssemblerName) {
  return names().lookup(llvm::GlobalValue::dropLLVMManglingEscape(AssemblerName));
}

static llvm::StringSet<> &sameNames() {
  static llvm::StringSet<> Names;
  return Names;
}

void addSameMoves(llvm::StringRef AssemblerName) {
  sameNames().insert(llvm::GlobalValue::dropLLVMManglingEscape(AssemblerName));
}

bool declaredSameMoves(llvm::StringRef AssemblerName) {
  return sameNames().contains(llvm::GlobalValue::dropLLVMManglingEscape(AssemblerName));
}

} // namespace skein
