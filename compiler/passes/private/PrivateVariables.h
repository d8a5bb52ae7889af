//===- PrivateVariables.h - What the headers and annotations said about variables ---===//
//
// IR does not tell which header a variable was declared in, nor how a mere declaration was annotated. The Clang half
// runs in the same process, before the optimiser, and records facts under the assembler names of variables. The pass
// `private-marking` makes attributes of IR of them, which travel with the module.
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

/// -fskein-globals=private.
bool globalsArePrivate();

enum class VariableFact {
  OfProcess, ///< whatever -fskein-globals says: a system header declares it, and the library behind it shares it
  Private,   ///< it carries SKEIN_PRIVATE
  InitialisedByCode, ///< before main, in main's copy (C++)
  /// The unit declares it by hand, in the file that uses it: `extern char *names[];` says less than a header that the
  /// defining unit includes, too. Whose it is is not known before the program starts.
  Unsure,
};
void addFact(VariableFact Fact, llvm::StringRef AssemblerName);
bool isKnown(VariableFact Fact, llvm::StringRef AssemblerName);
/// Recorded as OfProcess, or known by its name.
bool isProcessVariable(llvm::StringRef AssemblerName);

/// Attribute of a variable, declared or defined: each thread has its own.
inline constexpr const char *PrivateAttribute = "skein-private";
/// Its value: why it is private. Neither: SKEIN_PRIVATE.
inline constexpr llvm::StringLiteral PrivateToThread = "thread";   // thread-local
inline constexpr llvm::StringLiteral PrivateOfProgram = "program"; // -fskein-globals=private
/// Attribute of a private variable that code initialises before main, in main's copy: no other thread has one.
inline constexpr const char *InitialisedAttribute = "skein-initialised";
/// Attribute of a private variable that is declared by hand: private if another unit says so, too, else the process's.
inline constexpr const char *UnsureAttribute = "skein-unsure";
/// Attribute of a mutable variable that stays with the process although -fskein-globals=private is given.
inline constexpr const char *ProcessAttribute = "skein-process";
/// Attribute of the constant that holds the address of the thread's own copy (private-globals makes it).
inline constexpr const char *PrivateAddressAttribute = "skein-private-address";

/// Address space of accesses relative to gs.
inline constexpr unsigned ThreadSegment = 256;

/// True of a variable that each thread has its own of, or an alias of one.
bool isPrivate(const llvm::GlobalValue &G);

/// True of the address word of a private variable, whatever it is cast to: what it holds does not change as long as the
/// thread lives, so it crosses calls where it likes.
bool isPrivateAddressWord(const llvm::Value *Address);
/// A load of one.
bool loadsPrivateAddress(const llvm::Value *V);

} // namespace skein

#endif
