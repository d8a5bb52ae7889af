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
/// An argument or the result of a call with that attribute.
bool isDeclaredAmbiguous(const llvm::Value *V);

/// Marks the arguments in which parts of structs come that may hold addresses, unions and bytes among them. Only before
/// the optimiser runs is each argument stored where it is declared.
void markArgumentsOfUnknownKind(llvm::Function &F);

/// Marks the subtractions of two pointers: C allows them only within one object, which moves as a whole. Nothing is
/// known of where two integers lead that a program has made of pointers. Only as clang has written the code, before any
/// pass, can the two be told apart: of pointers, both operands are there before the first one is converted.
void markPointerSubtractions(llvm::Function &F);
/// A subtraction with that mark, which passes may lose.
bool isPointerSubtraction(const llvm::Instruction &I);

/// What a word is that was not computed here, by the declared type of the object that it comes from.
enum class Evidence {
  None,    ///< nothing is known of it: it may be an address
  Number,  ///< declared as an integer or a floating-point number
  Pointer, ///< declared as a pointer
};

/// The program accesses objects by types that are not theirs (-fno-strict-aliasing). Said by the frontend before any
/// code is made; with the optimiser, clang then writes no tags.
void declareTypesNoEvidence();
/// Function attribute by which the linker, which sees no command line, learns that.
inline constexpr const char *AnyTypeAttribute = "skein-any-type";

/// Evidence for what a load reads or a store writes, from type-based alias information or the type that its address was
/// computed with. What others may fill is what they like.
Evidence evidenceOfAccess(const llvm::Instruction &LoadOrStore);
/// The same by the declared type alone, whoever has written there.
Evidence declaredEvidence(const llvm::Instruction &LoadOrStore);

/// The same for a load of less than a word. Any object may be read through `char`; a member of that type is a number.
Evidence evidenceOfPart(const llvm::Instruction &Load);
/// False if the program was compiled with -fno-strict-aliasing.
bool typesAreEvidence();

/// Types other than pointers that are wide enough for an address: integers, floating-point numbers and vectors of at
/// least 64 bits.
bool isWide(const llvm::Type *T);

/// A variable of a single number that others may fill, with any bytes.
bool isNumberOfOthers(const llvm::Value *Variable);

/// The type that the memory at an address is declared to have, `Behind` bytes further on; null if nobody says: memory
/// behind a pointer to no member of anything, a union, characters.
llvm::Type *declaredAt(const llvm::Value *Pointer, int64_t Behind, const llvm::DataLayout &DL);
/// Full words that are declared as numbers are copied into from elsewhere as integers (CopiesToNumbers.cpp).
void makeIntegersOfCopies(llvm::Function &F);

/// True if `V` enters the function as a word about which nothing is known: a load without evidence, the result of an
/// atomic exchange, or of a function that nobody sees.
bool isUnknownWord(const llvm::Value *V);

} // namespace skein

#endif
