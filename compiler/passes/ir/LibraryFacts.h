//===- LibraryFacts.h - What functions of others are known to do -----------===//
#ifndef SKEIN_PASSES_IR_LIBRARYFACTS_H
#define SKEIN_PASSES_IR_LIBRARYFACTS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
}

namespace skein {

/// LibraryFacts.def says what each of these means.
enum class LibraryFact : unsigned {
  Shallow = 1,
  TextOnly = 2,
  Stays = 4,
  KeepsHandlers = 8,
  TakesApart = 16,
  ReturnsAddress = 32,
  NumbersOnly = 64
};

/// Whether the table states this fact of the function with this name.
bool library(llvm::StringRef Name, LibraryFact Fact);
bool library(const llvm::Function &Callee, LibraryFact Fact);

/// Whether the table has a variable of this name.
bool isLibraryVariable(llvm::StringRef Name);

} // namespace skein

#endif
