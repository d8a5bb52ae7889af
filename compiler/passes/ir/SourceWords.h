//===- SourceWords.h - What a slot of the frame is in the source ------------===//
//
// A word that refuses a move is to be named as the programmer knows it: `list.head`, a `struct node *`. This comes from
// the debug information, and nothing depends on it but messages.
//
// Homes and witnesses are made by our passes. What they hold is noted when they are made, as `!skein.source` of the
// alloca: the variable that has this value, or else the line where it is computed. An alloca of the program has its
// variable from Clang.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_IR_SOURCEWORDS_H
#define SKEIN_PASSES_IR_SOURCEWORDS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace llvm {
class AllocaInst;
class Function;
class Value;
} // namespace llvm

namespace skein {

/// Whether the function's debug information names variables (-g, not -gline-tables-only).
bool hasNamedVariables(const llvm::Function &F);

/// Notes what the slot holds.
void noteSource(llvm::AllocaInst &Slot, llvm::Value &V);

/// Whether one of our passes has made the slot, of which noteSource was told.
bool isMadeSlot(const llvm::AllocaInst &Slot);

/// Some bytes of an alloca, as the source calls them. Nothing is known if both `Line` is 0 and `Name` is empty.
struct SourceWord {
  std::string Name;    ///< the variable with its member: "list.head", "table[3].next"
  std::string Type;    ///< of that: "struct node *"
  std::string Inlined; ///< the function whose variable it is, if that was inlined
  unsigned Line = 0;   ///< of the variable's declaration, or of the computation
  explicit operator bool() const { return Line != 0 || !Name.empty(); }
};

/// The `Bytes` bytes at `Offset`. If they are more than one member, this is what contains them.
SourceWord sourceOf(const llvm::AllocaInst &Slot, uint64_t Offset, uint64_t Bytes);

} // namespace skein

#endif
