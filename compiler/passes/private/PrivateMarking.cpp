//===- PrivateMarking.cpp - Which variables are a thread's own ------------===//
//
// Decides which variables are private, that is, each thread has its own copy (private-globals says how). This pass runs
// first of all, while variables are as the source has them, and gives each *private* one, defined or only declared, the
// attribute `skein-private`. Private are
//
//   * variables with SKEIN_PRIVATE;
//   * thread-local variables, since a Skein thread changes its kernel thread whenever it moves, so that the only thread
//     they can belong to is Skein's; they become ordinary variables here;
//   * with -fskein-globals=private every mutable variable, except those that a library shares (PrivateVariables.h) and
//     those with a section of their own, which are a table that some code walks.
//
// From here to private-globals the optimiser sees ordinary variables. That is sound, since the address of a private
// variable does not change while its thread lives, and a function is run by one thread at a time: whatever the
// optimiser may conclude about a variable of a single-threaded program holds for each copy. It draws no other
// conclusions, since an address of a private variable that came from another thread came through memory or an argument,
// so to the optimiser it may be any address.
//
// A constant whose initialiser mentions a private variable is private too, since its value differs from thread to
// thread. The optimiser may take such a value out of the initialiser; what it gets is the variable again. A unit that
// only declares a constant cannot know this. So with -fskein-globals=private it accesses a constant with room for an
// address through an address word, like a variable that is declared by hand.
//
// The named metadata `skein.private` lists names and kinds, because GlobalOpt makes new variables (`x.body`, `x.init`)
// without the attribute.
//
//===----------------------------------------------------------------------===//
#include "PrivateVariables.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

static constexpr const char *NamesMetadata = "skein.private";
static constexpr uint64_t AlignmentLimit = 4096; // copies begin at a page

/// The variables that clang's list of annotations calls private. Their entries are removed, since they would be uses.
static SmallPtrSet<const GlobalVariable *, 8> takeAnnotations(Module &M) {
  SmallPtrSet<const GlobalVariable *, 8> Found;
  GlobalVariable *List = M.getGlobalVariable("llvm.global.annotations");
  const auto *Entries = List && List->hasInitializer() ? dyn_cast<ConstantArray>(List->getInitializer()) : nullptr;
  if (!Entries)
    return Found;
  SmallVector<Constant *, 8> Kept;
  for (const Use &Entry : Entries->operands()) {
    auto *Fields = cast<ConstantStruct>(Entry.get());
    const auto *Variable = dyn_cast<GlobalVariable>(Fields->getOperand(0)->stripPointerCasts());
    const auto *Text = dyn_cast<GlobalVariable>(Fields->getOperand(1)->stripPointerCasts());
    const auto *String =
        Text && Text->hasInitializer() ? dyn_cast<ConstantDataSequential>(Text->getInitializer()) : nullptr;
    if (Variable && String && String->isCString() && String->getAsCString() == PrivateAttribute)
      Found.insert(Variable);
    else
      Kept.push_back(Fields);
  }
  if (Found.empty())
    return Found;
  ArrayType *T = ArrayType::get(Entries->getType()->getElementType(), Kept.size());
  if (!Kept.empty()) {
    auto *Less = new GlobalVariable(M, T, false, List->getLinkage(), ConstantArray::get(T, Kept));
    Less->setSection(List->getSection());
    Less->takeName(List);
  }
  List->eraseFromParent();
  return Found;
}

namespace {

class Marking {
public:
  explicit Marking(Module &M) : M(M), Annotated(takeAnnotations(M)) {}

  bool run() {
    for (GlobalVariable &G : M.globals())
      if (!G.hasAttribute(PrivateAttribute) && isMeant(G)) {
        G.addAttribute(PrivateAttribute, kindOf(G));
        if (G.isDeclaration() && kindOf(G) == PrivateOfProgram &&
            (G.isConstant() || isKnown(VariableFact::Unsure, G.getName()) || linkerMayMake(G.getName())))
          G.addAttribute(UnsureAttribute);
      }
    SetVector<GlobalVariable *> All;
    for (GlobalVariable &G : M.globals())
      if (G.hasAttribute(PrivateAttribute))
        All.insert(&G);
    if (All.empty())
      return false;
    auto *Names = M.getOrInsertNamedMetadata(NamesMetadata);
    for (GlobalVariable *G : All) {
      if (G->getAlign().valueOrOne().value() > AlignmentLimit)
        error(*G, "private variable '" + G->getName() + "' is aligned to more than " + Twine(AlignmentLimit) +
                      " bytes; a thread's copy begins at a page");
      if (isKnown(VariableFact::InitialisedByCode, G->getName()))
        G->addAttribute(InitialisedAttribute);
      makeOrdinary(*G);
      Metadata *Entry[] = {MDString::get(M.getContext(), G->getName()),
                           MDString::get(M.getContext(), G->getAttribute(PrivateAttribute).getValueAsString())};
      Names->addOperand(MDNode::get(M.getContext(), Entry));
    }
    return true;
  }

private:
  bool isMeant(const GlobalVariable &G) const {
    StringRef Name = G.getName();
    if (Name.starts_with("llvm.") || G.getAddressSpace() || G.hasAttribute(ProcessAttribute))
      return false;
    if (Annotated.contains(&G) || isKnown(VariableFact::Private, Name)) {
      if (G.hasSection())
        error(G, "variable '" + Name + "' cannot be private and lie in section '" + G.getSection() + "'");
      return true;
    }
    if (isProcessVariable(Name))
      return false;
    if (G.isThreadLocal())
      return true;
    if (!globalsArePrivate() || (G.isConstant() && !mayBePrivateElsewhere(G)))
      return false;
    if (!G.hasSection())
      return true;
    if (!Name.starts_with("__") && G.hasName())
      warn(G, Warning::Global,
           "variable '" + Name +
               "' stays with the process, although globals are private: it has a section of its own ('" +
               G.getSection() + "')");
    return false;
  }

  /// Whether the linker defines a symbol of this name if the program does not.
  static bool linkerMayMake(StringRef Name) { return is_contained({"end", "edata", "etext", "data_start"}, Name); }

  /// Whether the initialiser of this constant, which another unit defines, may mention a private variable.
  static bool mayBePrivateElsewhere(const GlobalVariable &G) {
    return G.isDeclaration() && !G.hasSection() && hasRoomForAddress(*G.getValueType());
  }

  static bool hasRoomForAddress(const Type &T) {
    if (!T.isSized() || T.isPointerTy())
      return true;
    if (T.isIntegerTy())
      return T.getIntegerBitWidth() >= 64;
    return any_of(T.subtypes(), [](const Type *Part) { return hasRoomForAddress(*Part); });
  }

  StringRef kindOf(const GlobalVariable &G) const {
    if (G.isThreadLocal())
      return PrivateToThread;
    return Annotated.contains(&G) || isKnown(VariableFact::Private, G.getName()) ? StringRef()
                                                                                 : StringRef(PrivateOfProgram);
  }

  /// The back end does not see the variable as thread-local, and no library can use it: one that tries will not link.
  static void makeOrdinary(GlobalVariable &G) {
    if (G.hasAttribute(UnsureAttribute))
      return;
    if (!G.hasLocalLinkage())
      G.setVisibility(GlobalValue::HiddenVisibility);
    if (!G.hasExternalWeakLinkage())
      G.setDSOLocal(true);
    if (!G.isThreadLocal())
      return;
    G.setThreadLocal(false);
    for (User *U : make_early_inc_range(G.users()))
      if (auto *Address = dyn_cast<IntrinsicInst>(U);
          Address && Address->getIntrinsicID() == Intrinsic::threadlocal_address) {
        Address->replaceAllUsesWith(&G);
        Address->eraseFromParent();
      }
  }

  Module &M;
  SmallPtrSet<const GlobalVariable *, 8> Annotated;
};

} // namespace

PreservedAnalyses PrivateMarkingPass::run(Module &M, ModuleAnalysisManager &) {
  return Marking(M).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace skein
