//===- AddressUses.h - Where addresses lead, and what becomes of them --------===//
#ifndef SKEIN_PASSES_ADDRESSES_ADDRESSUSES_H
#define SKEIN_PASSES_ADDRESSES_ADDRESSUSES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class ConstantInt;
class Function;
class GetElementPtrInst;
class Instruction;
class Value;
} // namespace llvm

namespace skein {

/// Whether a pointer may lead to the stack or into the program, as far as can be seen.
bool mayLeadToWhatMoves(const llvm::Value *V);
/// The same for the stack alone, to which no constant leads.
bool mayLeadToStack(const llvm::Value *V);
/// Whether code of other modules may get the address of a variable.
bool isKnownElsewhere(const llvm::Value &Variable);

/// True if the pointer is only used to access what it leads to, and in comparisons. Where it is merged with other
/// pointers, this must happen before the next of the calls.
bool isOnlyFollowed(llvm::Instruction &Pointer, llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Calls);
/// The same for a pointer that an instruction makes; all uses must come before the next call.
bool isOnlyFollowed(const llvm::Instruction &Made);
/// Whether the text of inline assembly has this operand only where memory is accessed, as in `($0)`.
bool isOnlyFollowedBy(llvm::StringRef Text, unsigned Operand);

inline constexpr unsigned SlotBits = 16, PageBits = 12; ///< stacks move by slots of 64 KiB, the program by pages
/// Whether a mask leaves the bits that change when an address moves by multiples of 2^`Below`. A mask that rounds down
/// by more gives a different place before and after a move.
bool keepsPlace(const llvm::ConstantInt &Mask, unsigned Below = SlotBits);
/// Whether the value is the result of such a mask.
bool isMasked(const llvm::Value &V, unsigned Below = SlotBits);

} // namespace skein

#endif
