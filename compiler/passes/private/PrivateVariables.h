//===- PrivateVariables.h - What the headers and annotations said about variables ---===//
//
// IR does not say in which header a variable was declared, nor how a mere declaration was annotated. The Clang half
// runs in the same process, before the optimiser, and records facts under the assembler names of variables. The pass
// `private-marking` turns these into attributes of IR, which travel with the module.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_PRIVATE_PRIVATEVARIABLES_H
#define SKEIN_PASSES_PRIVATE_PRIVATEVARIABLES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class GlobalValue;
class Value;
} // namespace llvm

namespace skein {

/// Whether -fskein-globals=private was given.
bool globalsArePrivate();

enum class VariableFact {
  /// It belongs to the process whatever -fskein-globals says: a system header declares it, and its library shares it.
  OfProcess,
  Private,           ///< it carries SKEIN_PRIVATE
  InitialisedByCode, ///< it is initialised before main, in main's copy (C++)
  /// The unit declares it by hand, in the file that uses it. `extern char *names[];` says less than a header that the
  /// defining unit includes as well, so whose it is is known only when the program starts.
  Unsure,
};
void addFact(VariableFact Fact, llvm::StringRef AssemblerName);
bool isKnown(VariableFact Fact, llvm::StringRef AssemblerName);
/// Whether the variable is recorded as OfProcess, or known by its name to belong to the process.
bool isProcessVariable(llvm::StringRef AssemblerName);

/// Attribute of a variable, declared or defined: each thread has its own copy.
inline constexpr const char *PrivateAttribute = "skein-private";
/// The value of that attribute: why the variable is private. If it is neither of these, SKEIN_PRIVATE is the reason.
inline constexpr llvm::StringLiteral PrivateToThread = "thread";   // thread-local
inline constexpr llvm::StringLiteral PrivateOfProgram = "program"; // -fskein-globals=private
/// Attribute of a private variable that code initialises before main, in main's copy. No other thread has a copy with
/// that value.
inline constexpr const char *InitialisedAttribute = "skein-initialised";
/// Attribute of a private variable that is declared by hand: it is private if another unit says so too, else it belongs
/// to the process.
inline constexpr const char *UnsureAttribute = "skein-unsure";
/// Attribute of a mutable variable that stays with the process although -fskein-globals=private is given.
inline constexpr const char *ProcessAttribute = "skein-process";
/// Attribute of the constant that holds the address of the thread's own copy (made by private-globals).
inline constexpr const char *PrivateAddressAttribute = "skein-private-address";

/// The address space of accesses relative to gs.
inline constexpr unsigned ThreadSegment = 256;

/// Whether each thread has its own copy of this variable, or of the variable of which this is an alias.
bool isPrivate(const llvm::GlobalValue &G);

/// Whether this is the address word of a private variable, whatever it is cast to. What it holds does not change while
/// the thread lives, so it may cross calls anywhere.
bool isPrivateAddressWord(const llvm::Value *Address);
/// Whether `V` is a load of an address word.
bool loadsPrivateAddress(const llvm::Value *V);

} // namespace skein

#endif
