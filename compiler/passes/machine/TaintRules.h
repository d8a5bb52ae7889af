//===- TaintRules.h - What one instruction does to addresses ---------------===//
//
// How the proof sees an instruction: which *cells* it reads and writes, and whether what it writes is tainted
// regardless of what it reads. A cell is a register unit or a byte of a scratch slot of the frame (AddressProof.cpp has
// the rules). Slots are divided into bytes, since register allocation lets values of different widths share a slot: a
// pointer stored into the first half of a 16-byte slot must overwrite what was there.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_TAINTRULES_H
#define SKEIN_PASSES_MACHINE_TAINTRULES_H

#include "MachineAddresses.h"
#include "SiteTable.h"
#include "llvm/ADT/BitVector.h"
#include <map>
#include <string>

namespace llvm {
class Value;
class TargetRegisterInfo;
} // namespace llvm

namespace skein {

/// One summand of a sum: a register or a stack slot.
struct Term {
  llvm::SmallVector<unsigned, 8> Cells;
  bool Minus = false;
};

/// What an instruction does.
struct Effects {
  llvm::SmallVector<unsigned, 8> Reads;   ///< all cells, for liveness
  llvm::SmallVector<unsigned, 8> Inputs;  ///< the cells whose taint reaches the outputs; not those that address memory
  llvm::SmallVector<unsigned, 8> Outputs; ///< written as a whole; tainted if an input is, or if `Source`
  llvm::SmallVector<unsigned, 2> Partial; ///< written in part; they keep the taint they have
  llvm::SmallVector<unsigned, 8> Tainted; ///< written as a whole with what may be an address (results of a call)
  llvm::SmallVector<unsigned, 4> Addresses; ///< those of them that get exactly one address
  const uint32_t *Clobbered = nullptr;      ///< register mask of a call
  bool Source = false;                      ///< the outputs are addresses, or computed from one
  /// The output is the sum of these terms, of an address if `Source` or `Unfollowed` (subtracted if `SourceMinus`), and
  /// of values that are no addresses. If this is false, an output that depends on an address is an address of unknown
  /// form.
  bool Linear = false, SourceMinus = false;
  bool Unfollowed = false; ///< loads an address (or the low half of one) that need not be followed
  bool Half = false;       ///< it computes 32 bits, from the low halves of its inputs
  llvm::SmallVector<Term, 3> Terms;

  // These are for UnknownWords.h.
  bool LoadsUnknown = false;            ///< loads a full word without evidence that it is a number
  bool Moves = false;                   ///< the outputs are one of the inputs, or what is loaded, unchanged
  bool Chooses = false;                 ///< the outputs are one of two registers, unchanged
  bool StoresRegister = false;          ///< the input is a whole general register, unchanged
  bool StoresOutside = false;           ///< it writes memory that is not of the frame
  bool TakesHighBits = false;           ///< the outputs are those bits of the input that are zero in every address
  bool Exchanges = false;               ///< the outputs are what is loaded, whatever the inputs are
  using Word = std::pair<int, int64_t>; ///< frame index of an ambiguous local, and an offset in it
  unsigned Words = 1;                   ///< how many words are stored or loaded there
  std::optional<Word> Shows;            ///< the input is stored there unchanged
  std::optional<Word> ShownIn;          ///< what is loaded lies there
  std::optional<int> Overwrites;        ///< frame index of an ambiguous local into which parts of words are stored
};

class TaintRules {
public:
  TaintRules(const llvm::MachineFunction &Function, const SiteTable &Sites);

  unsigned cellCount() const { return Cells; }
  bool effectsOf(const llvm::MachineInstr &MI, Effects &E) const;
  /// Removes from `Cells` the cells that the mask does not preserve.
  void clobber(llvm::BitVector &Cells, const uint32_t *Mask);
  /// The cells that may hold addresses when the function starts, and those that hold exactly one each.
  llvm::BitVector initialTaint() const;
  llvm::BitVector initialAddresses() const;
  /// Slots whose address is taken, so that they may be read anywhere.
  const llvm::BitVector &escapedSlots() const { return Escaped; }
  /// Whether the site lists the words of this object.
  bool isListed(int FrameIndex, const SiteInfo &Site) const;
  std::string nameOf(unsigned Cell) const;

private:
  struct Hit {
    int FrameIndex;
    int64_t Offset;
    bool Exact; ///< there is no index register
  };
  std::optional<Hit> resolve(const llvm::MachineInstr &MI, const MemoryReference &M) const;
  bool isFrameRegister(llvm::MCRegister R) const;
  bool takesSignOfStack(const llvm::MachineInstr &MI) const;
  void addUnits(llvm::SmallVectorImpl<unsigned> &Cells, llvm::MCRegister R) const;
  void addMemory(const llvm::MachineInstr &MI, const MemoryReference &M, Effects &E) const;
  /// Adds an access to `Size` bytes of a scratch slot.
  void addSlot(const Hit &At, uint64_t Size, bool Reads, bool Writes, Effects &E) const;
  void addTerms(const llvm::MachineInstr &MI, Effects &E) const;
  void addCall(const llvm::MachineInstr &MI, Effects &E) const;
  bool loadsMappedPointer(const Hit &At, uint64_t Size) const;
  bool loadsMappedHalf(const Hit &At) const;
  bool loadsIRPointer(const llvm::MachineMemOperand &Memory, uint64_t Size) const;
  bool isWitness(int FrameIndex) const;
  void findObjects();
  void findEscapes();
  void findIRLoads();

  const llvm::MachineFunction &MF;
  const llvm::TargetRegisterInfo &TRI;
  const MachineRegisters &R;
  const SiteTable &Sites;
  const FrameObjects &Objects;
  std::map<std::pair<unsigned, int64_t>, int> ByAddress; // (base, offset) -> frame index
  struct Slot {
    unsigned FirstCell, Bytes;
  };
  llvm::DenseMap<int, Slot> Slots; // by scratch frame index
  unsigned SlotBase, Cells;
  bool HasFP, HasBP;
  llvm::BitVector Escaped, NeverTainted;
  /// By address and size: whether all loads of the IR from there load pointers.
  llvm::DenseMap<std::pair<const llvm::Value *, uint64_t>, bool> PointersLoaded;
  llvm::DenseMap<const uint32_t *, llvm::BitVector> Lost; // the cells that a call with this mask destroys
};

} // namespace skein

#endif
