//===- WordEvidence.h - What the source says of a full word ----------------===//
#ifndef SKEIN_PASSES_ADDRESSES_WORDEVIDENCE_H
#define SKEIN_PASSES_ADDRESSES_WORDEVIDENCE_H

#include <cstdint>

namespace llvm {
class DataLayout;
class Function;
class Instruction;
class Type;
class Value;
} // namespace llvm

namespace skein {

/// Attribute of an argument or a result: words of unknown kind arrive there (AddressSignatures.cpp).
inline constexpr const char *AmbiguousAttribute = "skein-ambiguous";
/// Whether `V` is an argument, or the result of a call, with that attribute.
bool isDeclaredAmbiguous(const llvm::Value *V);

/// Marks the arguments in which parts of structs arrive that may hold addresses; unions and bytes are among them. This
/// works only before the optimiser runs, when each argument is stored where it is declared.
void markArgumentsOfUnknownKind(llvm::Function &F);

/// Marks the subtractions of two pointers, which C allows only within one object, so that both move alike. Where a
/// program has made integers of pointers and subtracts these, it is not known where they lead. The two can be told
/// apart only in the code as clang has written it, before any pass: in a subtraction of pointers, both operands are
/// there before the first one is converted.
void markPointerSubtractions(llvm::Function &F);
/// Whether `I` is a subtraction with that mark, or is known by its use to be one. (Passes may lose the mark.)
bool isPointerSubtraction(const llvm::Instruction &I);

/// What a word that was not computed here is, by the declared type of the object from which it comes.
enum class Evidence {
  None,    ///< nothing is known of it: it may be an address
  Number,  ///< declared as an integer or a floating-point number
  Pointer, ///< declared as a pointer
};

/// The program accesses objects by types that are not theirs (-fno-strict-aliasing). The frontend says so before any
/// code is made. With the optimiser, clang writes no tags then.
void declareTypesNoEvidence();
/// Function attribute from which the linker, which does not see the command line, learns this.
inline constexpr const char *AnyTypeAttribute = "skein-any-type";

/// Evidence for what a load reads or a store writes: type-based alias information, or the type with which its address
/// was computed. An object that other code may fill is no evidence, since it may hold anything.
Evidence evidenceOfAccess(const llvm::Instruction &LoadOrStore);
/// The same by the declared type alone, whatever code has written there.
Evidence declaredEvidence(const llvm::Instruction &LoadOrStore);

/// The same for a load of less than a word. Any object may be read through `char`, but a member of that type is a
/// number.
Evidence evidenceOfPart(const llvm::Instruction &Load);
/// False if the program was compiled with -fno-strict-aliasing.
bool typesAreEvidence();

/// Types other than pointers that are wide enough for an address: integers, floating-point numbers and vectors of at
/// least 64 bits.
bool isWide(const llvm::Type *T);

/// Whether this is a variable of a single number that other code may fill with any bytes.
bool isNumberOfOthers(const llvm::Value *Variable);

/// The declared type of the memory `Behind` bytes after an address. Null if it is not known: memory behind a pointer
/// that leads to no member of anything, a union, characters.
llvm::Type *declaredAt(const llvm::Value *Pointer, int64_t Behind, const llvm::DataLayout &DL);

/// True if `V` enters the function as a word of which nothing is known: a load without evidence, the result of an
/// atomic exchange, or of a function whose body is not seen.
bool isUnknownWord(const llvm::Value *V);

} // namespace skein

#endif
