//===- SourceRecords.h - Names for the words of a frame, as bytes -----------===//
//
// Writes the record of one function in section `.debug_skein` (abi/source_words.h). It is written as inline assembly at
// the function's entry, which changes the section and comes back: a global of LLVM cannot be in a section that is not
// loaded.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_SOURCERECORDS_H
#define SKEIN_PASSES_MACHINE_SOURCERECORDS_H

#include "FrameObjects.h"
#include <string>

namespace llvm {
class MCSymbol;
} // namespace llvm

namespace skein {

class SourceRecords {
public:
  explicit SourceRecords(const llvm::MachineFunction &Function);

  /// Adds the words of a local, whose object lies at `At`.
  void add(const FrameObjects::Local &Local, FrameAddress At);
  /// Writes the record at the beginning of the function. Its code begins at the label.
  void emit(llvm::MachineFunction &Function, const llvm::MCSymbol &Entry) const;

private:
  void addWords(const llvm::AllocaInst &Slot, FrameAddress At, int64_t Offset, uint64_t Bytes);

  bool Wanted;
  unsigned Count = 0;
  unsigned Size;
  std::string Text; ///< the groups, as directives of the assembler
};

} // namespace skein

#endif
