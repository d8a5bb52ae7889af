//===- CopiesToNumbers.h - Words that are copied into numbers --------------===//
#ifndef SKEIN_PASSES_ADDRESSES_COPIESTONUMBERS_H
#define SKEIN_PASSES_ADDRESSES_COPIESTONUMBERS_H

namespace llvm {
class Function;
} // namespace llvm

namespace skein {

/// Changes copies of full words into objects that are declared as numbers into loads and stores of integers. Only
/// before the optimiser runs can the types of both sides be seen.
void makeIntegersOfCopies(llvm::Function &F);

} // namespace skein

#endif
