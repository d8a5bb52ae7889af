//===- SiteKeeping.h - Pass 3a: no call may lose its site ------------------===//
//
// The peephole pass and the spiller fold the load of a function pointer into the call, `CALL64r %p` into `CALL64m
// slot`. They build a new instruction, and the annotation of the old one (Annotations.h) is gone: no record, so the
// thread is pinned there, for no reason that a user could see.
//
// So the target of an indirect call that may migrate is copied into r11, which no argument uses, right before the call;
// a physical register is not folded. The copy costs nothing: the allocator puts the pointer there to begin with. It was
// not in a callee-saved register anyway, since pointers do not cross calls.
//
// Runs right after instruction selection. Who would notice: test/passes/site-keeping, and stress programs that list no
// reason to be refused.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_SITEKEEPING_H
#define SKEIN_PASSES_MACHINE_SITEKEEPING_H

namespace skein {
/// For TargetPassConfig::insertPass.
char &siteKeepingID();
} // namespace skein

#endif
