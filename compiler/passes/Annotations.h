//===- Annotations.h - What the IR passes tell the back-end passes ---------===//
//
// The only channel between the IR half (pointer homing) and the MIR half (proof and frame maps) of the plugin.
//
//  * An alloca that can hold pointers carries `!skein.local !{i64 index, i64 kind, i64 offset, i64 stride, i64 count,
//    …}` (kind..count repeat, one group per quadruple). `index` is unique in the function. MachineFrameInfo leads from
//    a frame index to the alloca.
//  * A call that may migrate carries `!heapallocsite !{!"skein.site", i64 pin, i64 va_pointers, i64 result,
//    !{i64 offset…}, !{i64 index…}}`. heapallocsite is the one call annotation that both instruction selectors copy to
//    the MachineInstr (getHeapAllocMarker) and that no pass interprets on ELF targets. A call without it gets no
//    record, so a lost annotation pins the thread; it never lies. (LLVM strips it from textual IR without the "Debug
//    Info Version" module flag, so pointer homing adds that flag and .ll tests carry it.)
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_ANNOTATIONS_H
#define SKEIN_PASSES_ANNOTATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace llvm {
class AllocaInst;
class CallBase;
class Function;
class MachineFunction;
class MachineInstr;
class MDNode;
} // namespace llvm

namespace skein {

/// Metadata of what the passes read themselves, for a witness of a part of a word (PartsOfWords.cpp), and of where they
/// read it.
inline constexpr const char *WitnessMetadata = "skein.for_witness";

/// `Count` words, `Stride` bytes apart, first one at `Offset` in the alloca. Kind is a SKEIN_LOCAL_* of the ABI.
struct WordGroup {
  unsigned Kind = 0;
  int64_t Offset = 0;
  int64_t Stride = 8;
  int64_t Count = 1;
};

/// The words of one alloca that can hold pointers.
struct LocalLayout {
  unsigned Index = 0;
  llvm::SmallVector<WordGroup, 2> Groups;
};

/// How the result of a may-migrate call is to be seen by the proof.
enum class ResultKind : unsigned { None = 0, Pointer = 1 };

/// One call that may migrate.
struct SiteInfo {
  /// A SKEIN_PIN_* reason of the ABI, or 0.
  unsigned Pin = 0;
  /// Argument registers that hold pointers passed through `...`.
  unsigned VaPointers = 0;
  /// Whether the result contains a pointer (a taint source of the proof).
  ResultKind Result = ResultKind::None;
  /// SP-relative offsets, at the call, of outgoing words that hold pointers passed through `...`.
  llvm::SmallVector<int64_t, 2> Outgoing;
  /// LocalLayout::Index of each local that can hold a live pointer during the call.
  llvm::SmallVector<unsigned, 8> Locals;
};

void setLocalLayout(llvm::AllocaInst &Alloca, const LocalLayout &Layout);
std::optional<LocalLayout> getLocalLayout(const llvm::AllocaInst &Alloca);

void setSiteInfo(llvm::CallBase &Call, const SiteInfo &Site);
bool hasSiteInfo(const llvm::CallBase &Call);
/// The same for a call instruction in machine code, which is decoded by SiteTable alone. It may be duplicated; its
/// copies keep the annotation.
bool hasSiteInfo(const llvm::MachineInstr &Call);
SiteInfo decodeSite(const llvm::MachineInstr &Call);
void pinSite(llvm::MachineFunction &Function, llvm::MachineInstr &Call, unsigned Reason);
void addLocalsToSite(llvm::MachineFunction &Function, llvm::MachineInstr &Call, llvm::ArrayRef<unsigned> Indices);

/// In SiteInfo::Locals of machine code, `MachineHomeBase + n` is a home slot that exists only there: frame index n, one
/// pointer. address-rematerialisation makes them for pointers that instruction selection invented.
inline constexpr unsigned MachineHomeBase = 1u << 30;

/// True if the frame of a function with this calling convention is one that a frame map can describe: the registers it
/// saves are those of the C convention, and its caller pops the arguments.
bool hasMappableConvention(const llvm::Function &F);

/// Function attribute: the IR passes have run on this function; its calls without a site may not migrate *by proof or
/// declaration*, and its frames need maps for the others.
inline constexpr const char *HomedAttribute = "skein-homed";
/// Function attribute, also of declarations, and call attribute: neither this function nor anything it calls reaches a
/// migration point.
inline constexpr const char *NoMigrateAttribute = "skein-nomigrate";
/// Function attribute: a definition marked SKEIN_NOMIGRATE, which is checked.
inline constexpr const char *ClaimedAttribute = "skein-nomigrate-claimed";

// Function attributes that the compile step leaves for whoever generates code, perhaps the linker (SourceFacts.cpp).
inline constexpr const char *CompiledAttribute = "skein-compiled"; ///< by skeincc, so it may be homed
inline constexpr const char *StressAttribute = "skein-stress";     ///< value: calls
inline constexpr const char *PollsAttribute = "skein-polls";       ///< value: loops
inline constexpr const char *WarningsAttribute = "skein-warnings"; ///< value: as of -skein-warnings

} // namespace skein

#endif
