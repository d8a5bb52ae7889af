//===- PrivateVariables.cpp - Sets for the process ----------------------===//
//
// As in NonMigratingFunctions.cpp, the names of one translation unit are never seen by another.
//
//===----------------------------------------------------------------------===//
#include "PrivateVariables.h"
#include "passes/ir/LibraryFacts.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

static cl::opt<std::string> Globals("skein-globals", cl::init("process"),
                                    cl::desc("Whose the unit's mutable variables are: each thread's own (private), or "
                                             "the process's (process)"));

namespace skein {

bool globalsArePrivate() { return Globals == "private"; }

static StringSet<> &namesWith(VariableFact Fact) {
  static StringSet<> Names[4];
  return Names[static_cast<size_t>(Fact)];
}

void addFact(VariableFact Fact, StringRef Name) { namesWith(Fact).insert(GlobalValue::dropLLVMManglingEscape(Name)); }
bool isKnown(VariableFact Fact, StringRef Name) {
  return namesWith(Fact).contains(GlobalValue::dropLLVMManglingEscape(Name));
}

/// Whether this is data that libc exports, a symbol of the linker, or what clang declares for __builtin_cpu_supports.
/// These belong to the process even where a program declares them by hand.
static bool belongsToSystem(StringRef Name) {
  if (isLibraryVariable(Name))
    return true;
  // Vtables and type information are declared as if they were variables.
  for (StringRef Prefix : {"_ZTV", "_ZTI", "_ZTS", "_ZTT", "_ZTC"})
    if (Name.starts_with(Prefix))
      return true;
  for (StringRef Prefix : {"__start_", "__stop_", "_binary_", "__init_array_", "__fini_array_", "__preinit_array_",
                           "__skein_", "skein_", "__llvm_", "__prof", "__sanitizer_", "__ubsan_", "__gcov_"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

bool isProcessVariable(StringRef Name) {
  Name = GlobalValue::dropLLVMManglingEscape(Name);
  if (isKnown(VariableFact::OfProcess, Name) || belongsToSystem(Name))
    return true;
  // The guard of a static variable belongs to the same owner as the variable.
  return Name.consume_front("_ZGV") && isKnown(VariableFact::OfProcess, ("_Z" + Name).str());
}

bool isPrivate(const GlobalValue &G) {
  const auto *Object = dyn_cast_or_null<GlobalVariable>(G.getAliaseeObject());
  return Object && Object->hasAttribute(PrivateAttribute);
}

bool isPrivateAddressWord(const Value *Address) {
  const auto *Word = dyn_cast<GlobalVariable>(Address->stripPointerCasts());
  return Word && Word->hasAttribute(PrivateAddressAttribute);
}

bool loadsPrivateAddress(const Value *V) {
  const auto *Load = dyn_cast<LoadInst>(V);
  return Load && isPrivateAddressWord(Load->getPointerOperand());
}

} // namespace skein
