//===- CallFreeLoopStrength.h - LSR, but not across migration points --------===//
//
// Loop strength reduction (LSR) makes biased pointers and address integers freely. It normally runs in code generation,
// after homing, where these would cross calls unseen. So in a function with calls that may migrate
//
//   * this pass runs it before homing, on the loops that have no such call: what it makes stays inside the loop or is
//     homed like anything else;
//   * code generation runs without it: two small passes around it hide the function and show it again.
//
// A function without such calls is compiled exactly as clang would compile it: strength reduction runs in its usual
// place, after LLVM's clean-up passes, and the blocks come out in the usual order.
//
// Functions that are compiled as clang does it on request (SameMoves.h) are left alone as well. The second of the small
// passes judges their sites again, since strength reduction may have made a biased pointer live across one.
//
// A function is hidden by giving it the attribute `optnone` while the pass runs, which tells LLVM's own passes to leave
// it alone.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_IR_CALLFREELOOPSTRENGTH_H
#define SKEIN_PASSES_IR_CALLFREELOOPSTRENGTH_H

#include "llvm/IR/PassManager.h"

namespace skein {

class CallFreeLoopStrengthPass : public llvm::PassInfoMixin<CallFreeLoopStrengthPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  static llvm::StringRef name() { return "call-free-loop-strength"; }
};

/// For TargetPassConfig::insertPass: functions with may-migrate calls are `optnone` between the two.
char &hideMigratingID();
char &showMigratingID();

} // namespace skein

#endif
