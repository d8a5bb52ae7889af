//===- NonMigratingClaims.cpp ------------------------------------------------===//
//
// SKEIN_NOMIGRATE on a definition is a claim: nothing that it calls, however deep, reaches a migration point. The claim
// is checked before the optimiser runs, so that it does not depend on the level of optimisation whether a program
// compiles, and so that the error names the calls as the source has them:
//
//     error: 'f' is SKEIN_NOMIGRATE but may reach a migration point: f (a.c:3) calls g (a.c:9) calls skein_yield
//     (a.c:12)
//
// with the line of the definition of f first and then that of each call. These things count:
//
//   a function of this unit             what it calls, in turn
//   SKEIN_NOMIGRATE elsewhere           believed: it is checked where it is defined, or with -flto at the link
//   SKEIN_ASSUME_NOMIGRATE              believed
//   of a system header, or the library  cannot migrate (a callback that wants to is pinned under the library's frame)
//   any other function                  an error: nothing is known of it
//   a pointer                           an error unless all functions it can be are known (PossibleCallees.h)
//   an access to shared memory          an error: it may be a message, for which the thread waits
//   a poll in a loop                    no error: under a claimed frame it preempts, but does not move, the thread
//
// The last one is allowed so that a right program stays right with -fskein-polls=loops.
//
//===----------------------------------------------------------------------===//
#include "NonMigratingClaims.h"
#include "MigrationPoints.h"
#include "PossibleCallees.h"
#include "passes/Annotations.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/shared/SharedAccess.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include <deque>

using namespace llvm;

namespace skein {

namespace {

std::string nameOf(const Function &F) { return demangle(F.getName()); }

std::string placeOf(StringRef File, unsigned Line) {
  return (" (" + sys::path::filename(File) + ":" + Twine(Line) + ")").str();
}

std::string placeOf(const Function &F) {
  const DISubprogram *Subprogram = F.getSubprogram();
  return Subprogram ? placeOf(Subprogram->getFilename(), Subprogram->getLine()) : "";
}

std::string placeOf(const Instruction &I) {
  const DebugLoc &Where = I.getDebugLoc();
  return Where ? placeOf(Where->getFilename(), Where->getLine()) : "";
}

class Check {
public:
  explicit Check(FunctionAnalysisManager &AM) : AM(AM) {}

  /// Searches breadth first, so that the shortest chain is reported.
  void run(Function &Claimed) {
    std::deque<Function *> Next{&Claimed};
    LedHere = {{&Claimed, {nullptr, nullptr}}};
    while (!Next.empty()) {
      Function &F = *Next.front();
      Next.pop_front();
      const TargetLibraryInfo &TLI = AM.getResult<TargetLibraryAnalysis>(F);
      for (Instruction &I : instructions(F)) {
        if (isSharedAccess(I))
          return report(Claimed, F, I,
                        "accesses shared memory" + placeOf(I) +
                            ", which may wait for another node; skein_local() gives a plain pointer to what is here");
        auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || (!mayMigrate(*Call, TLI) && !Call->isMustTailCall()))
          continue;
        SmallSetVector<const Function *, 8> Targets;
        if (!PossibleCallees().find(*Call, Targets))
          return report(Claimed, F, I,
                        "calls through a pointer" + placeOf(I) +
                            ", which could be any function; if it never migrates, put the call in a function marked "
                            "SKEIN_ASSUME_NOMIGRATE");
        for (const Function *Target : Targets)
          if (Target->hasFnAttribute(NoMigrateAttribute))
            continue;
          else if (!Target->isDeclaration()) {
            if (LedHere.try_emplace(Target, Step{&F, Call}).second)
              Next.push_back(const_cast<Function *>(Target));
          } else if (declarationMayMigrate(*Target, TLI)) {
            const bool Ours = Target->getName().starts_with("skein_") || Target->getName().starts_with("__skein_");
            return report(
                Claimed, F, I,
                "calls " + nameOf(*Target) + placeOf(I) +
                    (Ours ? "" : ", of which nothing is known; if it never migrates, declare it SKEIN_NOMIGRATE"));
          }
      }
    }
  }

private:
  struct Step {
    const Function *From;
    const CallBase *Call;
  };

  /// Reports that `Last`, to which calls from `Claimed` lead, has a migration point at `Point`; `Does` describes it.
  void report(const Function &Claimed, const Function &Last, const Instruction &Point, const std::string &Does) {
    SmallVector<std::string, 4> Calls;
    const Instruction *First = &Point;
    for (const Function *At = &Last; At != &Claimed;) {
      Step S = LedHere.lookup(At);
      Calls.push_back(nameOf(*At) + placeOf(*S.Call));
      First = S.Call;
      At = S.From;
    }
    std::string Text = "'" + nameOf(Claimed) +
                       "' is SKEIN_NOMIGRATE but may reach a migration point: " + nameOf(Claimed) + placeOf(Claimed);
    for (const std::string &Each : reverse(Calls))
      Text += " calls " + Each;
    error(Claimed, First->getDebugLoc(), Text + " " + Does);
  }

  FunctionAnalysisManager &AM;
  DenseMap<const Function *, Step> LedHere;
};

} // namespace

void checkClaims(Module &M, ModuleAnalysisManager &AM) {
  auto &Functions = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasFnAttribute(ClaimedAttribute))
      Check(Functions).run(F);
}

PreservedAnalyses LinkedClaimsPass::run(Module &M, ModuleAnalysisManager &AM) {
  auto &Functions = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  NamedMDNode *Claims = M.getNamedMetadata(ClaimsMetadata);
  if (!Claims)
    return PreservedAnalyses::all();
  for (const MDNode *Claim : Claims->operands()) {
    Function *F = M.getFunction(cast<MDString>(Claim->getOperand(0))->getString());
    if (!F || F->isDeclaration() || F->hasFnAttribute(ClaimedAttribute))
      continue;                     // it is elsewhere, or was checked when it was compiled
    F->addFnAttr(ClaimedAttribute); // so that it is checked once
    Check(Functions).run(*F);
  }
  return PreservedAnalyses::all();
}

} // namespace skein
