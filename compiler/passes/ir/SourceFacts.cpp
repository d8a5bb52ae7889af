//===- SourceFacts.cpp - What only the compile step knows -----------------===//
//
// The first pass of all, in the compile step. Code may be generated much later by another process, the linker, which
// has seen neither the source nor the command line. So what these said is written into the module, as function
// attributes, since the linker mixes functions of units that were compiled differently:
//
//   skein-compiled             every definition: compiled by skeincc, by all of its passes
//   skein-nomigrate            functions of system headers, SKEIN_NOMIGRATE, SKEIN_ASSUME_NOMIGRATE
//   skein-nomigrate-claimed    definitions that are SKEIN_NOMIGRATE; checked here, see NonMigratingClaims.cpp
//   skein-stress, -polls       -fskein-stress=…, -fskein-polls=…
//   skein-stacks               -fskein-stacks=growable
//   skein-moves-same           -fskein-moves=same, SKEIN_MOVES_SAME
//   skein-any-type             -fno-strict-aliasing
//   skein-warnings             levels of warnings
//
// It also writes down what the shape of the code tells as long as no pass has changed it (WordEvidence.h), and changes
// copies into numbers (CopiesToNumbers.cpp). A declaration vanishes when the linker finds the definition, so the names
// of all functions declared SKEIN_NOMIGRATE are kept as named metadata `skein.claims`.
//
// Functions that come already homed were compiled to bitcode without -flto and are about to be optimised again, after
// which their annotations would be wrong. They lose them: a thread inside one does not move (LinkTime.h).
//
//===----------------------------------------------------------------------===//
#include "SourceFacts.h"
#include "GrowableStacks.h"
#include "LinkTime.h"
#include "NonMigratingClaims.h"
#include "NonMigratingFunctions.h"
#include "SameMoves.h"
#include "passes/Annotations.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/addresses/CopiesToNumbers.h"
#include "passes/addresses/WordEvidence.h"
#include "passes/private/PrivateHeap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

static cl::opt<std::string> Stress("skein-stress", cl::init(""),
                                   cl::desc("Move the stack at entry of and around every may-migrate call (calls)"));
static cl::opt<std::string> Polls("skein-polls", cl::init(""), cl::desc("Insert migration polls in loops (loops)"));
static cl::opt<std::string> Stacks("skein-stacks", cl::init("fixed"),
                                   cl::desc("Functions look for room on their stack (growable), threads that wait for "
                                            "long give theirs to others (common), or neither (fixed)"));

static cl::opt<std::string> Moves("skein-moves", cl::init("any"),
                                  cl::desc("Threads in functions may move to any address (any), or keep the one that "
                                           "they have (same)"));

namespace skein {

bool loopPollsRequested() { return Polls == "loops"; }
bool growableStacksRequested() { return Stacks == "growable"; }

static void markFunction(Function &F, NamedMDNode *&Claims) {
  LLVMContext &C = F.getContext();
  NonMigrating Why = declaredNonMigrating(F.getName());
  if (Why != NonMigrating::No)
    F.addFnAttr(NoMigrateAttribute);
  if (Why == NonMigrating::Claimed) {
    if (!F.isDeclaration())
      F.addFnAttr(ClaimedAttribute);
    if (!F.hasLocalLinkage()) {
      if (!Claims)
        Claims = F.getParent()->getOrInsertNamedMetadata(ClaimsMetadata);
      Claims->addOperand(MDNode::get(C, MDString::get(C, F.getName())));
    }
  }
  if (F.isDeclaration())
    return;
  F.addFnAttr(CompiledAttribute);
  if (!typesAreEvidence())
    F.addFnAttr(AnyTypeAttribute);
  markArgumentsOfUnknownKind(F);
  markPointerSubtractions(F);
  if (!Stress.empty())
    F.addFnAttr(StressAttribute, Stress);
  if (!Polls.empty())
    F.addFnAttr(PollsAttribute, Polls);
  if (Moves == "same" || declaredSameMoves(F.getName()))
    F.addFnAttr(SameMovesAttribute);
  // In another function the code would be as that function is, and its frames would be.
  if (Moves != "same" && movesToSame(F) && !F.hasFnAttribute(Attribute::AlwaysInline))
    F.addFnAttr(Attribute::NoInline);
  if (growableStacksRequested())
    F.addFnAttr(StacksAttribute, Stacks);
  if (privateHeapRequested())
    F.addFnAttr(PrivateHeapAttribute);
  if (std::string Levels = warningSettings(); !Levels.empty())
    F.addFnAttr(WarningsAttribute, Levels);
}

/// -fskein-stacks=common changes no code: the runtime looks for this symbol (migrate/parking.cpp).
static void announceCommonStacks(Module &M) {
  Type *Byte = Type::getInt8Ty(M.getContext());
  auto *Mark = new GlobalVariable(M, Byte, true, GlobalValue::WeakAnyLinkage, ConstantInt::get(Byte, 1),
                                  "__skein_stacks_common");
  Mark->setSection(".rodata.skein");
}

PreservedAnalyses SourceFactsPass::run(Module &M, ModuleAnalysisManager &AM) {
  releaseHomed(M);
  NamedMDNode *Claims = nullptr;
  for (Function &F : M)
    if (!F.isIntrinsic() && !F.hasFnAttribute(HomedAttribute))
      markFunction(F, Claims);
  for (Function &F : M)
    if (typesAreEvidence() && F.hasFnAttribute(CompiledAttribute) && !F.hasFnAttribute(HomedAttribute))
      makeIntegersOfCopies(F);
  if (Stacks == "common" && !M.getNamedValue("__skein_stacks_common"))
    announceCommonStacks(M);
  checkClaims(M, AM);
  return PreservedAnalyses::none();
}

} // namespace skein
