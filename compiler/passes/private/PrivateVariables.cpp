//===- PrivateVariables.cpp - Sets for the process ----------------------===//
//
// As in NonMigratingFunctions.cpp, names of one translation unit are never seen by another.
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

static StringSet<> &processNames() {
  static StringSet<> Names;
  return Names;
}

static StringSet<> &privateNames() {
  static StringSet<> Names;
  return Names;
}

static StringSet<> &initialisedNames() {
  static StringSet<> Names;
  return Names;
}

static StringSet<> &unsureNames() {
  static StringSet<> Names;
  return Names;
}

static StringRef withoutMarker(StringRef Name) {
  Name.consume_front("\1");
  return Name;
}

void addProcessVariable(StringRef Name) { processNames().insert(withoutMarker(Name)); }
void addPrivateVariable(StringRef Name) { privateNames().insert(withoutMarker(Name)); }
void addInitialisedVariable(StringRef Name) { initialisedNames().insert(withoutMarker(Name)); }
void addUnsureVariable(StringRef Name) { unsureNames().insert(withoutMarker(Name)); }
bool isUnsure(StringRef Name) { return unsureNames().contains(withoutMarker(Name)); }
bool isInitialisedByCode(StringRef Name) { return initialisedNames().contains(withoutMarker(Name)); }
bool isDeclaredPrivate(StringRef Name) { return privateNames().contains(withoutMarker(Name)); }

/// Data that libc exports, symbols of the linker, and what clang declares for __builtin_cpu_supports: the process's
/// even where a program declares them by hand.
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
  Name = withoutMarker(Name);
  if (processNames().contains(Name) || belongsToSystem(Name))
    return true;
  // The guard of a static variable goes with it.
  return Name.consume_front("_ZGV") && processNames().contains(("_Z" + Name).str());
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
