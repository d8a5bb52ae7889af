//===- FrameObjects.h - Which stack object is which ------------------------===//
//
// The machine code of a function knows its memory as frame indices. This file says what lies there:
//
//   mapped local     the alloca carries `!skein.local`; the frame map names its words
//   machine home     made by address-rematerialisation, one pointer (Annotations.h, MachineHomeBase)
//   scratch          no alloca: a spill slot or a temporary of instruction selection. Only the proof watches these
//   save area        where a variadic function stores its argument registers; the frame map names it
//   plain            an alloca that holds no pointers, as pointer homing has decided
//
// A local can also have no object at all, if nothing of it was left to store. And argument-copy elision lets a local
// live in the memory in which its argument came, as a *fixed* object, without recording which. The object is found
// again by counting: the locals that lost theirs, in the order of their arguments, are the incoming objects that are
// mutable and to which values of the program may point, in the order of their addresses. (In a function that ends by
// calling a variadic one all incoming objects are mutable, but nothing points to those of plain arguments.) If the two
// do not match one to one, the local is lost, and the sites that need it are pinned.
//
// This file also translates an operand `disp(%rsp)` after prologue insertion back to the object that it addresses.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_FRAMEOBJECTS_H
#define SKEIN_PASSES_MACHINE_FRAMEOBJECTS_H

#include "passes/Annotations.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace llvm {
class AllocaInst;
class MachineFunction;
} // namespace llvm

namespace skein {

class FrameObjects {
public:
  explicit FrameObjects(const llvm::MachineFunction &Function);
  /// Adds the machine homes that a site lists.
  void addMachineHomes(const SiteInfo &Site);

  struct Local {
    std::optional<int> FrameIndex;            ///< none: it has no memory, so no live pointer either
    bool Lost = false;                        ///< it has memory, but it is not known where
    const llvm::AllocaInst *Alloca = nullptr; ///< none: a machine home
    llvm::SmallVector<WordGroup, 2> Groups;
  };

  /// The local that SiteInfo::Locals calls `Index`; null if there is no such local.
  const Local *local(unsigned Index) const;

  /// The object where a variadic function saves its argument registers; none if it never reads them by va_start.
  std::optional<int> saveArea() const { return SaveArea; }
  /// The function reads them, but the area was not found.
  bool lostSaveArea() const { return LostSaveArea; }

  /// Whether the object has no alloca and is no machine home: it holds what the code generator puts there.
  bool isScratch(int FrameIndex) const;
  /// The index of the local whose pointers lie there.
  std::optional<unsigned> mappedLocal(int FrameIndex) const;

private:
  void findLocals();
  void findElidedCopies();
  void findSaveArea();

  const llvm::MachineFunction &Function;
  llvm::DenseMap<unsigned, Local> Locals;
  llvm::DenseMap<int, unsigned> Mapped; // frame index -> index of the local
  std::optional<int> SaveArea;
  bool LostSaveArea = false;
};

/// A place in the frame, as the walk of the runtime sees it.
struct FrameAddress {
  enum Base : uint8_t { CFA, SP, BP }; // SKEIN_BASE_*
  Base From = CFA;
  int64_t Offset = 0;
};

/// Where an object lies, after prologue insertion.
FrameAddress frameAddressOf(const llvm::MachineFunction &Function, int FrameIndex);

} // namespace skein

#endif
