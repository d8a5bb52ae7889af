//===- AddressChecks.h - What only the running program knows of a word -----===//
#ifndef SKEIN_PASSES_ADDRESSES_ADDRESSCHECKS_H
#define SKEIN_PASSES_ADDRESSES_ADDRESSCHECKS_H

#include "llvm/IR/IRBuilder.h"

namespace skein {

struct Doubt;

/// Whether the 64-bit integer lies in this frame or near it, as every address of the calling thread's stack does: an
/// i1. Other numbers may lie there too; the runtime knows exactly.
llvm::Value *isNearFrame(llvm::IRBuilder<> &B, llvm::Value *Word);

/// The same; also true for an address of the program or a library, if the runtime wants to know of those
/// (__skein_watch).
llvm::Value *isWatched(llvm::IRBuilder<> &B, llvm::Value *Word);
/// Whether the runtime wants to know of addresses of the program or a library.
llvm::Value *isProgramWatched(llvm::IRBuilder<> &B);

/// Lets the runtime want to know of them.
void watchAll(llvm::IRBuilder<> &B);

/// Whether two addresses at this distance are so far apart that they may move differently.
llvm::Value *isFar(llvm::IRBuilder<> &B, llvm::Value *Distance);

/// The same for a pointer and one that it was computed from.
llvm::Value *liesFar(llvm::IRBuilder<> &B, llvm::Value &Computed, llvm::Value &From);

/// Whether an address is certain to lie in its object, or so near to it that it moves along, since stacks are apart by
/// more.
bool liesNearItsObject(const llvm::GetElementPtrInst &Gep);

/// Each 64 bits of the value as a pointer: one pointer, or a vector of pointers.
llvm::Value *asPointers(llvm::IRBuilder<> &B, llvm::Value *V);

/// The address in this stack because of which a sum would be wrong after a move, as a 64-bit integer; zero if there is
/// none. The sum is one of AddressIntegers::doubts, or an address of which liesNearItsObject is not certain.
llvm::Value *doubtfulAddress(llvm::IRBuilder<> &B, const Doubt &D);

/// Reports to the runtime that the address leaves the sight of the maps; without `How`, that it is stored at `Place`.
void callEscapes(llvm::IRBuilder<> &B, llvm::Value *Address, llvm::Value *Place, llvm::Value *How);
/// Has the runtime look at `Count` words that begin at `First`, and reports those that are addresses.
void callRowEscapes(llvm::IRBuilder<> &B, llvm::Value *First, int64_t Count, llvm::Value *How);
/// True if a call of `Callee` is such a report with `How`.
bool tellsOfEscape(const llvm::Function &Callee);

/// The address in a sum of an address and a number, as a 64-bit integer, if the sum lies far away from it; else zero.
llvm::Value *addressFarFrom(llvm::IRBuilder<> &B, llvm::Value &Address, llvm::Value &Sum);

} // namespace skein

#endif
