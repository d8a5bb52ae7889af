//===- AddressChecks.h - What only the running program knows of a word -----===//
#ifndef SKEIN_PASSES_ADDRESSES_ADDRESSCHECKS_H
#define SKEIN_PASSES_ADDRESSES_ADDRESSCHECKS_H

#include "llvm/IR/IRBuilder.h"

namespace skein {

struct Doubt;

/// Whether the 64-bit integer lies in this frame or not far from it, as every address of the calling thread's stack
/// does: an i1. Other numbers may lie there, too; the runtime knows exactly.
llvm::Value *isNearFrame(llvm::IRBuilder<> &B, llvm::Value *Word);

/// The same, or an address of the program or a library, if the runtime wants to know of those (__skein_watch).
llvm::Value *isWatched(llvm::IRBuilder<> &B, llvm::Value *Word);
/// Whether it does.
llvm::Value *isProgramWatched(llvm::IRBuilder<> &B);

/// Makes it want to.
void watchAll(llvm::IRBuilder<> &B);

/// Whether an address and one at this distance from it are so far apart that they may move differently.
llvm::Value *isFar(llvm::IRBuilder<> &B, llvm::Value *Distance);

/// Whether an address is certain to lie in its object, or so near to it that it moves along: stacks are apart by more.
bool liesNearItsObject(const llvm::GetElementPtrInst &Gep);

/// A pointer, or a vector of pointers, of each 64 bits of the value.
llvm::Value *asPointers(llvm::IRBuilder<> &B, llvm::Value *V);

/// The address in this stack that a sum would become wrong with after a move, as a 64-bit integer; or zero. Of one of
/// AddressIntegers::doubts, or an address of which liesNearItsObject is not certain.
llvm::Value *doubtfulAddress(llvm::IRBuilder<> &B, const Doubt &D);

/// Tells the runtime that the address leaves the sight of the maps, or without `How` that it is stored at `Place`.
void callEscapes(llvm::IRBuilder<> &B, llvm::Value *Address, llvm::Value *Place, llvm::Value *How);
/// True if that is what a call of `Callee` tells the runtime, with `How`.
bool tellsOfEscape(const llvm::Function &Callee);

/// An address of a sum with a number, as a 64-bit integer, if the sum lies far away from it; or zero.
llvm::Value *addressFarFrom(llvm::IRBuilder<> &B, llvm::Value &Address, llvm::Value &Sum);

} // namespace skein

#endif
