//===- FrameMapBuilder.h - A function map as data, and as bytes ------------===//
//
// The format is runtime/abi/frame_map.h. This file knows its layout and limits; FrameMapEmission.cpp finds the facts. A
// map is one private constant global in section `skein_maps`:
//
//     @0 = private constant <{ i32 (entry - field), i32 size, ... }>, section "skein_maps", !associated function
//
// The linker keeps or drops it with its function (`!associated` and the function's comdat). References are differences
// of labels, so that the section needs no relocation when the program is loaded.
//
// Rejected: LLVM's own stack maps (they force a frame pointer and carry absolute addresses); one global for the whole
// module (it would keep functions alive that --gc-sections could drop); lists of live locals instead of bits (a third
// longer); return offsets as LEB128, of which only the assembler knows the lengths.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_FRAMEMAPBUILDER_H
#define SKEIN_PASSES_MACHINE_FRAMEMAPBUILDER_H

#include "abi/frame_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace llvm {
class Function;
class GlobalVariable;
class MCSymbol;
} // namespace llvm

namespace skein {

class FrameMapBuilder {
public:
  /// The fields of the header that need no label. The builder and the emission fill in the others.
  skein_function_map Header{};
  std::string Name, File;
  bool LargeCode = false; ///< the code may have 64 KiB or more

  /// Returns the number of the entry for these words among the locals, as sites name it; it is added if it is new. None
  /// if the table is full or a field would overflow.
  std::optional<uint16_t> addLocal(int64_t Offset, uint64_t Count, uint64_t Stride, unsigned Kind, unsigned Base);

  struct Site {
    const llvm::MCSymbol *Return = nullptr;
    unsigned Line = 0;
    unsigned Pin = 0;
    unsigned VaPointers = 0;
    unsigned Arguments = 0; ///< words above the CFA that belong to the frame; written if it is pinned
    llvm::SmallVector<uint16_t, 8> Locals;
  };
  /// Sites must be added in ascending order of their return addresses. One that does not fit is pinned, or left out.
  void addSite(Site S);

  bool empty() const { return Sites.empty(); }

  /// Adds the map to the module of `F`, whose code lies between the two labels.
  llvm::GlobalVariable &emit(llvm::Function &F, const llvm::MCSymbol &Entry, const llvm::MCSymbol &End) const;

private:
  using Row = std::vector<uint16_t>; // ascending
  unsigned specialOf(const skein_special_map &Special);
  std::string tables(bool Large) const;

  std::vector<skein_local_map> Locals;
  std::map<std::tuple<int64_t, uint64_t, uint64_t, unsigned, unsigned>, uint16_t> LocalIndex;
  struct PlacedSite {
    const llvm::MCSymbol *Return;
    unsigned Line;
    bool Special;
    unsigned Number; // among the rows, or the special_maps
  };
  std::vector<PlacedSite> Sites;
  std::vector<skein_special_map> Specials;
  std::map<Row, unsigned> Rows;
};

} // namespace skein

#endif
