//===- AddressForms.h - What is said of single values and instructions -----===//
//
// Shared by AddressIntegers.cpp, which finds what is computed from addresses, and AddressForms.cpp, which says how.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_ADDRESSES_ADDRESSFORMS_H
#define SKEIN_PASSES_ADDRESSES_ADDRESSFORMS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace skein {

/// Instructions whose result is a function of their operands alone, so that the code generator may compute it again.
bool isPure(const llvm::Instruction &I);
/// Inline assembly with a result, of which it is not known how it is computed from the operands.
bool isAssembly(const llvm::Value &V);
/// The values from which an instruction computes: for an intrinsic its arguments, but not the function that it names.
llvm::User::const_op_range inputs(const llvm::Instruction &I);
/// The same for one operand. An address at which inline assembly reads memory is no input of it.
bool isInput(const llvm::Use &U);
/// A constant that is computed from the address of a global.
bool isAddressConstant(const llvm::Value *V);
/// The pointers from which a constant is computed.
llvm::SmallVector<llvm::Constant *, 2> addressesIn(llvm::Constant &C);
/// How often the constant contains the address; none if that is not a number.
std::optional<int64_t> coefficientIn(const llvm::Constant &C);
/// A number so small that no address is as small.
bool isSmallConstant(const llvm::Value *V);

inline bool is64BitInteger(const llvm::Type *T) { return T->isIntegerTy(64); }
/// A type that holds at most the low bits of an address.
inline bool isPartOfWord(const llvm::Type *T) { return T->isIntOrIntVectorTy() && T->getScalarSizeInBits() < 64; }

} // namespace skein

#endif
