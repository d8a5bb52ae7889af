//===- FrameMapEmission.h - Pass 5b: write the frame maps ------------------===//
//
// Input: machine code right before it is printed, frames laid out, every may-migrate call with its site (Annotations.h)
// and its verdict (address-proof). Output: a label after each such call, and one function map (FrameMapBuilder.h).
//
// Invariant: the map of a function says the truth about the frame at each of its return addresses. It is the last pass,
// so nothing can make it untrue. Whatever it cannot describe it pins (a site with a reason) or leaves without a map,
// where the runtime refuses to move the thread as well.
//
// Who would notice: test/abi compares maps with the frames that objdump shows; the runtime's debug walk compares with
// libunwind; relocation stress crashes.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_FRAMEMAPEMISSION_H
#define SKEIN_PASSES_MACHINE_FRAMEMAPEMISSION_H

namespace skein {
/// For TargetPassConfig::insertPass.
char &frameMapEmissionID();
} // namespace skein

#endif
