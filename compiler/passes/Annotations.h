//===- Annotations.h - What the IR passes tell the back-end passes ---------===//
//
// What the IR passes (pointer homing) find out about a function has to reach the passes on machine code (the proof and
// the frame maps) through LLVM's code generator. It travels as metadata of instructions and as attributes of functions.
//
//  * An alloca that can hold pointers carries `!skein.local !{i64 index, i64 kind, i64 offset, i64 stride, i64 count,
//    …}`, where the four numbers after the index are repeated for each group of words. `index` is unique in the
//    function. MachineFrameInfo leads from a frame index to the alloca.
//  * A call that may migrate carries `!heapallocsite !{!"skein.site", i64 pin, i64 va_pointers, i64 result,
//    !{i64 offset…}, !{i64 index…}}`. heapallocsite is the one call annotation that both instruction selectors copy to
//    the MachineInstr (getHeapAllocMarker) and that no pass interprets on ELF targets. A call without it gets no
//    record, so if the annotation is lost the thread is pinned there, and nothing worse. (LLVM strips it from textual
//    IR without the "Debug Info Version" module flag, so pointer homing adds that flag and .ll tests carry it.)
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_ANNOTATIONS_H
#define SKEIN_PASSES_ANNOTATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace llvm {
class AllocaInst;
class CallBase;
class Function;
class Instruction;
class MachineFunction;
class MachineInstr;
class MDNode;
} // namespace llvm

namespace skein {

/// Metadata on the loads that a pass adds for itself, to have a witness of a part of a word (PartsOfWords.cpp), and on
/// the computation of the address they read.
inline constexpr const char *WitnessMetadata = "skein.for_witness";

/// Whether the instruction carries metadata of this kind of ours. LLVM looks for the name in a table wherever there is
/// any metadata, and nearly everywhere there is a source line.
bool isMarked(const llvm::Instruction &I, llvm::StringRef Kind);

/// A group of `Count` words, `Stride` bytes apart, the first one at `Offset` in the alloca. `Kind` is a SKEIN_LOCAL_*
/// of the ABI.
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

/// What the proof is to assume about the result of a call that may migrate.
enum class ResultKind : unsigned { None = 0, Pointer = 1 };

/// One call that may migrate.
struct SiteInfo {
  /// A SKEIN_PIN_* reason of the ABI, or 0.
  unsigned Pin = 0;
  /// Argument registers that hold pointers passed through `...`.
  unsigned VaPointers = 0;
  /// Whether the result contains a pointer, so that the proof has to follow it.
  ResultKind Result = ResultKind::None;
  /// SP-relative offsets, at the call, of the outgoing words that hold pointers passed through `...`.
  llvm::SmallVector<int64_t, 2> Outgoing;
  /// LocalLayout::Index of each local that can hold a live pointer during the call.
  llvm::SmallVector<unsigned, 8> Locals;
};

void setLocalLayout(llvm::AllocaInst &Alloca, const LocalLayout &Layout);
std::optional<LocalLayout> getLocalLayout(const llvm::AllocaInst &Alloca);

void setSiteInfo(llvm::CallBase &Call, const SiteInfo &Site);
bool hasSiteInfo(const llvm::CallBase &Call);
/// The same for a call in machine code. The call may be duplicated: its copies keep the annotation. Only SiteTable
/// decodes it.
bool hasSiteInfo(const llvm::MachineInstr &Call);
SiteInfo decodeSite(const llvm::MachineInstr &Call);
void pinSite(llvm::MachineFunction &Function, llvm::MachineInstr &Call, unsigned Reason);
void addLocalsToSite(llvm::MachineFunction &Function, llvm::MachineInstr &Call, llvm::ArrayRef<unsigned> Indices);

/// In the SiteInfo::Locals of machine code, `MachineHomeBase + n` is a home slot that exists only there: frame index n,
/// which holds one pointer. The pass address-rematerialisation makes such slots for pointers that instruction selection
/// invented.
inline constexpr unsigned MachineHomeBase = 1u << 30;

/// Whether a frame map can describe the frame of a function with this calling convention: the registers that it saves
/// must be those of the C convention, and its caller must pop the arguments.
bool hasMappableConvention(const llvm::Function &F);

/// Attribute of a function on which the IR passes have run. Its calls without a site have been proved or declared not
/// to migrate, and its frames need maps for the others.
inline constexpr const char *HomedAttribute = "skein-homed";
/// Attribute of a function, also of a declaration or a call: neither the function nor anything it calls reaches a
/// migration point.
inline constexpr const char *NoMigrateAttribute = "skein-nomigrate";
/// Attribute of a function whose definition is marked SKEIN_NOMIGRATE. The mark is checked.
inline constexpr const char *ClaimedAttribute = "skein-nomigrate-claimed";

// Attributes with which the compile step tells the step that generates code, which may run in the linker, how to treat
// a function (SourceFacts.cpp).
inline constexpr const char *CompiledAttribute = "skein-compiled"; ///< compiled by skeincc, so it may be homed
inline constexpr const char *StressAttribute = "skein-stress";     ///< value: as of -skein-stress
inline constexpr const char *PollsAttribute = "skein-polls";       ///< value: as of -skein-polls
inline constexpr const char *WarningsAttribute = "skein-warnings"; ///< value: as of -skein-warnings

} // namespace skein

#endif
