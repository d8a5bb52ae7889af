//===- SourceFacts.h - What the command line asks of a unit ----------------===//
#ifndef SKEIN_PASSES_IR_SOURCEFACTS_H
#define SKEIN_PASSES_IR_SOURCEFACTS_H

namespace skein {

/// -fskein-polls=loops.
bool loopPollsRequested();
/// -fskein-stacks=growable.
bool growableStacksRequested();

} // namespace skein

#endif
