//===- SameMoves.h - Functions whose threads keep their address --------------===//
//
// A thread may move without a map of a frame, if nothing changes its address: then every word of the frame stays right
// as it is, unless it leads to memory that the thread leaves behind. So a function can be compiled as clang does it
// (-fskein-moves=same, SKEIN_MOVES_SAME), and its frames bind a thread to its address. It has no homes, nothing is
// computed again after its calls, and its map says only where the frame is.
//
// What the runtime cannot see in a frame of which it knows nothing has to be excluded here. docs/design.md has the
// argument.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_IR_SAMEMOVES_H
#define SKEIN_PASSES_IR_SAMEMOVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace skein {

/// Attribute of a function that is to be, and from the pass same-moves on is, compiled in this way.
inline constexpr const char *SameMovesAttribute = "skein-moves-same";

/// Attribute of such a function that may make a number of an address of the stack or the program, or store one in
/// pieces, and does not tell the runtime. NumbersOfProgram.cpp tells it once.
inline constexpr const char *UntoldAttribute = "skein-untold";

/// Attribute of such a function that has a call at which a thread stays on its node: a call that loses its site may be
/// that one (SiteTable.cpp).
inline constexpr const char *HidingAttribute = "skein-hiding";

bool movesToSame(const llvm::Function &F);

/// Of these calls, the ones across which the function keeps an address in a form in which the runtime would not find
/// that it leads to memory of the process.
llvm::SmallPtrSet<llvm::CallBase *, 4> callsThatHideAddresses(llvm::Function &F,
                                                              llvm::ArrayRef<llvm::CallBase *> Calls);

/// Makes the call a site at which a thread stays on its node, because of such an address.
void setHidingSite(llvm::CallBase &Call);

/// Remarks (-Rpass=skein-moves, -Rpass-missed=skein-moves) that the function is compiled in this way, and at which
/// calls a thread in it stays on its node.
void remarkSameMoves(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Calls,
                     const llvm::SmallPtrSetImpl<llvm::CallBase *> &Hiding);

} // namespace skein

#endif
