//===- Explanation.h - What a line of the source costs ----------------------===//
//
// -fskein-explain=LINE (or FILE:LINE) prints, for each call on that line: whether a thread may move during it and why,
// what is live across it and where that lives meanwhile, and what this costs. `skein explain` is the command for it.
// Calls that were inlined elsewhere are explained there.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_EXPLANATION_H
#define SKEIN_PASSES_MACHINE_EXPLANATION_H

#include "SiteTable.h"

namespace skein {

/// Prints about those calls of the function that are on the line, if one was asked for. Called when frames are laid
/// out and the proof has judged.
void explainLine(const llvm::MachineFunction &Function, const SiteTable &Sites);

} // namespace skein

#endif
