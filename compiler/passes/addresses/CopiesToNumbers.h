//===- CopiesToNumbers.h - Words that are copied into numbers --------------===//
#ifndef SKEIN_PASSES_ADDRESSES_COPIESTONUMBERS_H
#define SKEIN_PASSES_ADDRESSES_COPIESTONUMBERS_H

namespace llvm {
class Function;
class Instruction;
class MemTransferInst;
class Value;
} // namespace llvm

namespace skein {

/// Changes copies of full words into objects that are declared as numbers into loads and stores of integers, keeps the
/// pointers that a function whose body is not seen may copy into such objects, and marks copies of known type. Only
/// before the optimiser runs can the types of both sides be seen. All functions must have their attributes.
void makeIntegersOfCopies(llvm::Function &F);

/// Whether the instruction keeps such a pointer, its first operand. It is not part of the program's own code.
bool isCopiedElsewhere(const llvm::Instruction &I);
/// Whether this is an argument that the frontend has marked because the callee does not learn its type. This can be
/// asked only of code as clang has written it.
bool losesItsType(const llvm::Value *Argument);
/// Whether the copy goes to where pointers are declared, or is one between objects of one type. Passes may lose this
/// fact.
bool isTypedCopy(const llvm::MemTransferInst &Copy);

} // namespace skein

#endif
