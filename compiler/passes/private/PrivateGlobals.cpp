//===- PrivateGlobals.cpp - Accesses to a thread's own variables ----------===//
//
// A *private* variable (private-marking says which are) is one variable in the source and one for each thread at run
// time. Its symbol names its place in the *template*, the image from which copies are made, and which cannot be read
// once the program runs. Each thread has a *copy* with the same layout, at an address that is unique over all nodes and
// that the thread keeps wherever it goes (runtime/private). The gs register holds the distance of the running thread's
// copy from the template:
//
//      the program                          thread 7's copy
//      +-----------------------------+      +-----------------------------+
//      | .skein_private_data         |      |                             |
//      |    x: 1            <--------|------|--- %gs:x(%rip)              |
//      |    address of x: &x         |      |    address of x: &x + gs    |
//      | .skein_private_zero         |      |                             |
//      |    y                        |      |    y                        |
//      +-----------------------------+      +-----------------------------+
//
// After this pass
//
//   (1) a load, store or atomic whose address is a private variable, or computed from one by getelementptr alone, has a
//       pointer of address space 256: one instruction, `movl %gs:x(%rip), %eax`, as cheap as plain position-independent
//       code. Pointers of that address space are addresses in the template, hence of the image, and homing treats them
//       as such;
//   (2) where the address itself is needed (stored, passed, compared, merged with others) it is loaded from the
//       variable's *address word*, a private word that holds the variable's address in each copy. That costs as much as
//       the LEA of an ordinary global, and the value never changes as long as the thread lives, so that homing, the
//       proof and LLVM may keep it where they like (isDerivable; MachineAddresses);
//   (3) each private variable has a section of its own that the linker script collects into the template, its layout is
//       in skein_privates, the words of its initialiser that hold addresses of private variables are in
//       skein_private_words, or with the number that is added in skein_private_biased if that leads out of the
//       variable: the runtime adds the distance to them (and to address words) when it makes a copy;
//   (4) a declaration that is used is in skein_private_uses, so that the start of the program finds out if another
//       unit, compiled without the option, defines the variable for the process;
//   (5) a variable that the unit declares by hand (UnsureAttribute) may turn out to be the process's: a constant where
//       it is defined, a library's, or of a unit compiled without the option. All accesses go through its address word,
//       which then holds the address of the one and only. That one moves with the program, so the word is a private
//       pointer like any other, and so is what is loaded from it.
//
// Soundness. Nothing after this pass looks through an addrspacecast of a global, so no access loses its segment. No
// initialiser keeps the address of a private variable in a process variable, since a constant that mentions a private
// variable is made private itself, here and before anything is folded again. A use that was overlooked would lead into
// the template, which is inaccessible: a fault with the variable's name, but never a wrong value.
//
// Rejected: computing the address as `lea x(%rip)` plus a private word that holds the distance (two instructions, and
// the sum of an address that moves and a distance that moves against it); ELF TLS with a base of our own (the thread
// pointer belongs to libc); indirection through a base pointer in the thread's record (two loads for each access).
//
//===----------------------------------------------------------------------===//
#include "PrivateVariables.h"
#include "abi/frame_map.h"
#include "abi/private_globals.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/RuntimeRecords.h"
#include "passes/addresses/AddressChecks.h"
#include "passes/addresses/PointerTypes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/Instrumentation.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace skein {

namespace {

constexpr uint64_t PageSize = 4096;

/// Whether a constant mentions a private variable, without a look into initialisers.
bool mentionsPrivate(const Constant &C) {
  if (const auto *G = dyn_cast<GlobalValue>(&C))
    return isPrivate(*G);
  return any_of(C.operands(), [](const Use &U) {
    const auto *Operand = dyn_cast<Constant>(U.get());
    return Operand && mentionsPrivate(*Operand);
  });
}

/// Whether the variable is thread-local in the source. Kernel threads of the program's own have such variables too.
bool isThreadLocal(const GlobalValue &G) {
  const auto *Object = dyn_cast_or_null<GlobalVariable>(G.getAliaseeObject());
  return Object && Object->getAttribute(PrivateAttribute).getValueAsString() == PrivateToThread;
}

/// How often a constant contains the address of a private variable: `&x + 8` has 1, `&x - &y` has 0.
int64_t privateAddressesIn(const Constant &C) {
  if (const auto *G = dyn_cast<GlobalValue>(&C))
    return isPrivate(*G);
  const auto *E = dyn_cast<ConstantExpr>(&C);
  if (!E)
    return 0;
  int64_t First = privateAddressesIn(*E->getOperand(0));
  switch (E->getOpcode()) {
  case Instruction::Add:
    return First + privateAddressesIn(*E->getOperand(1));
  case Instruction::Sub:
    return First - privateAddressesIn(*E->getOperand(1));
  default:
    return First; // casts, getelementptr
  }
}

/// The number that is added to that address, which is that of `Base`; none if it is no number.
std::optional<int64_t> addedIn(const Constant &C, const DataLayout &DL, const GlobalValue *&Base) {
  if (const auto *Number = dyn_cast<ConstantInt>(&C))
    return Number->getSExtValue();
  if (const auto *G = dyn_cast<GlobalValue>(&C)) {
    Base = G;
    return isPrivate(*G) ? std::optional<int64_t>(0) : std::nullopt;
  }
  const auto *E = dyn_cast<ConstantExpr>(&C);
  if (!E)
    return std::nullopt;
  auto In = [&](unsigned N) { return addedIn(*E->getOperand(N), DL, Base); };
  if (const auto *Gep = dyn_cast<GEPOperator>(E)) {
    APInt Offset(64, 0);
    std::optional<int64_t> First = In(0);
    return First && Gep->accumulateConstantOffset(DL, Offset) ? std::optional(*First + Offset.getSExtValue())
                                                              : std::nullopt;
  }
  if (E->isCast())
    return In(0);
  if (E->getOpcode() == Instruction::Add)
    return In(0) && In(1) ? std::optional(*In(0) + *In(1)) : std::nullopt;
  if (E->getOpcode() == Instruction::Sub && isa<ConstantInt>(E->getOperand(1)))
    return In(0) ? std::optional(*In(0) - *In(1)) : std::nullopt;
  return std::nullopt;
}

class Accesses {
public:
  explicit Accesses(Module &M) : M(M) {}

  /// Rewrites all uses in functions. By now constants mention the variable only in initialisers.
  void rewrite(GlobalValue &G) {
    Current = &G;
    Unsure = isUnsure(G);
    Constant *Segment = ConstantExpr::getAddrSpaceCast(&G, PointerType::get(M.getContext(), ThreadSegment));
    Blocks.clear();
    rewriteUses(G, *Segment);
  }

  /// The address words that may lead to variables of the process.
  ArrayRef<GlobalVariable *> unsureWords() const { return Words; }

private:
  /// An address that is computed in more steps than this is taken as a linear one.
  static constexpr unsigned MostSteps = 64;

  /// `InSegment` is the same template address as `V`, in the segment's address space. It is used where that is
  /// possible; all other uses get the linear address.
  void rewriteUses(Value &V, Value &InSegment, unsigned Depth = 0) {
    SmallVector<Use *, 16> Linear;
    for (Use &U : make_early_inc_range(V.uses())) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        continue; // an initialiser, or an alias
      if (Unsure) {
        Linear.push_back(&U);
      } else if (isAccess(U)) {
        U.set(&InSegment);
      } else if (auto *Gep = dyn_cast<GetElementPtrInst>(I); Gep && isBase(U)) {
        // Processors fault where such an offset is no address by itself, whatever it gives together with the segment's
        // base.
        if (Depth < MostSteps && liesNearItsObject(*Gep) && reachesAccess(*Gep)) {
          SmallVector<Value *, 4> Indices(Gep->indices());
          auto *Twin = GetElementPtrInst::Create(Gep->getSourceElementType(), &InSegment, Indices, Gep->getName(),
                                                 Gep->getIterator());
          Twin->setNoWrapFlags(Gep->getNoWrapFlags());
          Twin->setDebugLoc(Gep->getDebugLoc());
          rewriteUses(*Gep, *Twin, Depth + 1);
        }
        if (Gep->use_empty())
          Gep->eraseFromParent();
        else if (&V == Current)
          Linear.push_back(&Gep->getOperandUse(0));
      } else if (&V == Current) {
        Linear.push_back(&U);
      } // else this is a linear use of a getelementptr whose base becomes linear
    }
    for (Use *U : Linear)
      U->set(linearAddressAt(*U));
  }

  static bool isUnsure(const GlobalValue &G) {
    const auto *Variable = dyn_cast<GlobalVariable>(&G);
    return Variable && Variable->isDeclaration() && Variable->hasAttribute(UnsureAttribute);
  }

  static bool isBase(const Use &U) { return U.getOperandNo() == 0 && U.getUser()->getType()->isPointerTy(); }

  /// atomicrmw is excluded: where its result is only compared, LLVM's X86 back end drops the segment (it makes an
  /// intrinsic of a plain pointer: `lock xorl $-1, x(%rip)`).
  static bool isAccess(const Use &U) {
    const auto *I = cast<Instruction>(U.getUser());
    if (isa<LoadInst>(I))
      return true;
    if (isa<StoreInst>(I))
      return U.getOperandNo() == StoreInst::getPointerOperandIndex();
    if (isa<AtomicCmpXchgInst>(I))
      return U.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex();
    return false;
  }

  static bool reachesAccess(const GetElementPtrInst &Gep) {
    SmallVector<const GetElementPtrInst *, 8> Work{&Gep};
    for (unsigned Steps = 0; !Work.empty() && Steps < MostSteps; ++Steps)
      for (const Use &U : Work.pop_back_val()->uses()) {
        if (!isa<Instruction>(U.getUser()))
          continue;
        if (isAccess(U))
          return true;
        if (const auto *Next = dyn_cast<GetElementPtrInst>(U.getUser()); Next && isBase(U))
          Work.push_back(Next);
      }
    return false;
  }

  /// The address in the running thread's copy, valid at `U`. It is loaded once in each block, before its first use
  /// there.
  Value *linearAddressAt(const Use &U) {
    auto *I = cast<Instruction>(U.getUser());
    if (I->getFunction()->hasFnAttribute(Attribute::Naked))
      error(*I->getFunction(), I->getDebugLoc(),
            "naked function '" + I->getFunction()->getName() + "' cannot use the private variable '" +
                Current->getName() + "': no register is free for its address; pass the address as an argument");
    if (auto *Phi = dyn_cast<PHINode>(I))
      I = Phi->getIncomingBlock(U)->getTerminator();
    LoadInst *&Known = Blocks[I->getParent()];
    if (Known) {
      if (I->comesBefore(Known))
        Known->moveBefore(I->getIterator());
      return Known;
    }
    IRBuilder<> B(I);
    Type *Pointer = B.getPtrTy();
    Constant *Word = ConstantExpr::getAddrSpaceCast(&wordOf(*Current), B.getPtrTy(ThreadSegment));
    Known = B.CreateAlignedLoad(Pointer, Word, Align(8), Current->getName() + ".address");
    MDNode *None = MDNode::get(M.getContext(), {});
    if (!Unsure)
      Known->setMetadata(LLVMContext::MD_invariant_load, None);
    if (!Current->hasExternalWeakLinkage())
      Known->setMetadata(LLVMContext::MD_nonnull, None);
    return Known;
  }

  GlobalVariable &wordOf(GlobalValue &G) {
    GlobalVariable *&Word = WordOf[&G];
    if (!Word) {
      Type *Pointer = PointerType::get(M.getContext(), 0);
      Word = new GlobalVariable(M, Pointer, false, GlobalValue::PrivateLinkage, &G, "skein.address." + G.getName());
      Word->setAlignment(Align(8));
      StringRef Section = isThreadLocal(G) ? SKEIN_THREAD_ADDRESSES_SECTION : SKEIN_PRIVATE_ADDRESSES_SECTION;
      Word->setSection((Section + G.getName()).str());
      if (Unsure)
        Word->addAttribute(PrivateAttribute, PrivateOfProgram);
      else
        Word->addAttribute(PrivateAddressAttribute);
      if (Unsure)
        Words.push_back(Word);
    }
    return *Word;
  }

  Module &M;
  GlobalValue *Current = nullptr;
  bool Unsure = false;
  DenseMap<BasicBlock *, LoadInst *> Blocks;
  DenseMap<GlobalValue *, GlobalVariable *> WordOf;
  SmallVector<GlobalVariable *, 16> Words;
};

/// The records for the runtime.
class Records {
public:
  explicit Records(Module &M)
      : M(M), DL(M.getDataLayout()), Half(Type::getInt32Ty(M.getContext())), Word(Type::getInt64Ty(M.getContext())) {}

  ~Records() { appendToCompilerUsed(M, All); }

  /// skein_private_map, followed by its groups.
  void describe(GlobalVariable &G) {
    SmallVector<WordGroup, 4> Groups;
    uint64_t Size = DL.getTypeAllocSize(G.getValueType()).getFixedValue();
    if (!appendWordGroups(G.getValueType(), 0, DL, Groups))
      Groups = {{SKEIN_LOCAL_AMBIGUOUS, 0, 8, int64_t(Size / 8)}};
    StructType *GroupType = StructType::get(Word, Word, Word, Word);
    SmallVector<Constant *, 4> Table;
    for (const WordGroup &Each : Groups)
      Table.push_back(
          ConstantStruct::get(GroupType, {word(Each.Offset), word(Each.Stride), word(Each.Count), word(Each.Kind)}));
    ArrayType *TableType = ArrayType::get(GroupType, Table.size());
    StructType *Layout = StructType::get(Half, Half, Word, Word, TableType);
    GlobalVariable &Record = create(Layout, "skein.private", SKEIN_PRIVATES_SECTION);
    Record.setInitializer(
        ConstantStruct::get(Layout, {distanceTo(&G, Record, 0), distanceTo(nameOf(G), Record, 1), word(Size),
                                     word(Table.size()), ConstantArray::get(TableType, Table)}));
    attachRecord(Record, G);
  }

  /// Adds a skein_private_use for a variable that may be defined elsewhere.
  void use(GlobalVariable &G) {
    Type *Pointer = PointerType::get(M.getContext(), 0);
    StructType *Layout = StructType::get(Pointer, Pointer, Pointer);
    GlobalVariable &Record = create(Layout, "skein.private.use", SKEIN_PRIVATE_USES_SECTION);
    Record.setInitializer(
        ConstantStruct::get(Layout, {&G, nameOf(G), string(M.getSourceFileName(), "skein.private.unit")}));
  }

  /// Notes the words of `G` that hold the address of a private variable.
  void addressesIn(GlobalVariable &G) {
    SmallVector<uint64_t, 4> Offsets;
    find(G, *G.getInitializer(), 0, Offsets);
    auto WordAt = [&](uint64_t Offset) {
      return ConstantExpr::getGetElementPtr(Type::getInt8Ty(M.getContext()), &G, ConstantInt::get(Word, Offset));
    };
    for (auto [Offset, Added] : Biased) {
      ArrayType *Entry = ArrayType::get(Half, 4);
      GlobalVariable &Record = create(Entry, "skein.private.biased", SKEIN_PRIVATE_BIASED_SECTION);
      Constant *Fields[] = {distanceTo(WordAt(Offset), Record, 0), ConstantInt::get(Half, 0),
                            ConstantInt::get(Half, uint32_t(Added)), ConstantInt::get(Half, uint64_t(Added) >> 32)};
      Record.setInitializer(ConstantArray::get(Entry, Fields));
      attachRecord(Record, G);
    }
    Biased.clear();
    if (Offsets.empty())
      return;
    ArrayType *Layout = ArrayType::get(Half, Offsets.size());
    GlobalVariable &Record = create(Layout, "skein.private.words", SKEIN_PRIVATE_WORDS_SECTION, Align(4));
    SmallVector<Constant *, 4> Entries;
    for (uint64_t Offset : Offsets)
      Entries.push_back(distanceTo(WordAt(Offset), Record, Entries.size()));
    Record.setInitializer(ConstantArray::get(Layout, Entries));
    attachRecord(Record, G);
  }

private:
  void find(const GlobalVariable &G, const Constant &C, uint64_t Offset, SmallVectorImpl<uint64_t> &Offsets) {
    if (isa<ConstantAggregate>(C)) {
      for (unsigned I = 0; I < C.getNumOperands(); ++I)
        find(G, *cast<Constant>(C.getOperand(I)), Offset + offsetOf(*C.getType(), I), Offsets);
      return;
    }
    if (!mentionsPrivate(C))
      return;
    int64_t Addresses = privateAddressesIn(C);
    if (Addresses == 1 && DL.getTypeStoreSize(C.getType()) == 8) {
      // Where the address leads shows which variable is meant, unless an added number leads out of it.
      const GlobalValue *Base = nullptr;
      std::optional<int64_t> Added = addedIn(C, DL, Base);
      if (Added && uint64_t(*Added) > DL.getTypeAllocSize(Base->getValueType()).getFixedValue())
        Biased.push_back({Offset, *Added});
      else
        Offsets.push_back(Offset);
    } else if (Addresses != 0)
      error(G, "the initialiser of '" + G.getName() +
                   "' computes with the address of a private variable in a way that "
                   "cannot be repeated for each thread");
  }

  uint64_t offsetOf(Type &T, unsigned Element) const {
    if (auto *Struct = dyn_cast<StructType>(&T))
      return DL.getStructLayout(Struct)->getElementOffset(Element);
    Type *E = isa<ArrayType>(T) ? T.getArrayElementType() : cast<VectorType>(T).getElementType();
    return Element * DL.getTypeAllocSize(E).getFixedValue();
  }

  Constant *word(uint64_t Value) const { return ConstantInt::get(Word, Value); }

  GlobalVariable *string(StringRef Value, const Twine &Name) const {
    return createPrivateGlobalForString(M, Value, /*AllowMerging=*/true, Name);
  }

  GlobalVariable *nameOf(const GlobalVariable &G) const { return string(G.getName(), "skein.private.name"); }

  GlobalVariable &create(Type *Layout, const Twine &Name, StringRef Section, Align Alignment = Align(8)) {
    GlobalVariable &Record = createRecord(M, Layout, Name, Section, Alignment);
    All.push_back(&Record);
    return Record;
  }

  Module &M;
  const DataLayout &DL;
  Type *Half, *Word;
  SmallVector<GlobalValue *, 16> All;
  SmallVector<std::pair<uint64_t, int64_t>, 4> Biased; ///< words of one variable, and what is added there
};

/// All private variables: the marked ones, those that GlobalOpt has made from them, and constants that mention one.
SetVector<GlobalVariable *> privateVariables(Module &M) {
  StringMap<StringRef> Kinds;
  if (const NamedMDNode *Listed = M.getNamedMetadata("skein.private"))
    for (const MDNode *Each : Listed->operands())
      Kinds[cast<MDString>(Each->getOperand(0))->getString()] = cast<MDString>(Each->getOperand(1))->getString();
  auto MarkIfMadeOfPrivate = [&](GlobalVariable &G) {
    StringRef Name = G.getName();
    if (!G.hasLocalLinkage() || G.isConstant() || !(Name.consume_back(".body") || Name.consume_back(".init")))
      return;
    if (auto Kind = Kinds.find(Name); Kind != Kinds.end())
      G.addAttribute(PrivateAttribute, Kind->second);
  };
  SetVector<GlobalVariable *> Found;
  for (GlobalVariable &G : M.globals()) {
    if (!G.hasAttribute(PrivateAttribute))
      MarkIfMadeOfPrivate(G);
    if (G.hasAttribute(PrivateAttribute))
      Found.insert(&G);
  }
  for (bool Changed = !Found.empty(); Changed;) {
    Changed = false;
    for (GlobalVariable &G : M.globals()) {
      if (!G.hasInitializer() || G.getName().starts_with("llvm.") || Found.contains(&G) ||
          !mentionsPrivate(*G.getInitializer()))
        continue;
      if (!G.isConstant() || G.hasSection()) {
        error(G, "variable '" + G.getName() +
                     "' of the process is initialised with the address of a private variable, of which each thread has "
                     "its own; make it SKEIN_PRIVATE, or assign it in a function");
        continue;
      }
      G.addAttribute(PrivateAttribute);
      Found.insert(&G);
      Changed = true;
    }
  }
  return Found;
}

/// Gives a variable of no size one byte, so that it has a place in the template like others.
void giveSize(Module &M) {
  Type *Byte = Type::getInt8Ty(M.getContext());
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (!G.hasAttribute(PrivateAttribute) || G.isDeclaration() ||
        !M.getDataLayout().getTypeAllocSize(G.getValueType()).isZero())
      continue;
    auto *Sized = new GlobalVariable(M, Byte, false, G.getLinkage(), Constant::getNullValue(Byte), "", &G);
    Sized->copyAttributesFrom(&G);
    Sized->setComdat(G.getComdat());
    Sized->takeName(&G);
    G.replaceAllUsesWith(Sized);
    G.eraseFromParent();
  }
}

/// Moves the variable into the template, to a section of its own, so that unused ones can be dropped. (A variable that
/// code was to initialise, but that the optimiser has initialised, has a value.)
void place(GlobalVariable &G) {
  G.setConstant(false);
  G.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
  if (G.hasCommonLinkage())
    G.setLinkage(GlobalValue::WeakAnyLinkage);
  bool Zero = G.getInitializer()->isNullValue() || isa<UndefValue>(G.getInitializer());
  StringRef Section = isThreadLocal(G) ? (Zero ? SKEIN_THREAD_ZERO_SECTION : SKEIN_THREAD_DATA_SECTION)
                      : !Zero          ? SKEIN_PRIVATE_DATA_SECTION
                      : G.hasAttribute(InitialisedAttribute) ? SKEIN_PRIVATE_INITIALISED_SECTION
                                                             : SKEIN_PRIVATE_ZERO_SECTION;
  G.setSection((Section + G.getName()).str());
}

/// In programs that have thread-local variables, these begin and end at a page.
void separateThreadLocals(Module &M) {
  ArrayType *Nothing = ArrayType::get(Type::getInt8Ty(M.getContext()), 0);
  for (StringRef Section : {SKEIN_THREAD_BEGIN_SECTION, SKEIN_THREAD_END_SECTION}) {
    auto *Mark = new GlobalVariable(M, Nothing, false, GlobalValue::PrivateLinkage, Constant::getNullValue(Nothing),
                                    "skein.thread.mark");
    Mark->setSection(Section);
    Mark->setAlignment(Align(PageSize));
    appendToCompilerUsed(M, {Mark});
  }
}

} // namespace

PreservedAnalyses PrivateGlobalsPass::run(Module &M, ModuleAnalysisManager &) {
  giveSize(M);
  SetVector<GlobalVariable *> Variables = privateVariables(M);
  SmallVector<GlobalValue *, 16> Named(Variables.begin(), Variables.end());
  for (GlobalAlias &Alias : M.aliases())
    if (isPrivate(Alias))
      Named.push_back(&Alias);
  if (Named.empty())
    return PreservedAnalyses::all();

  SmallVector<Constant *, 16> Constants(Named.begin(), Named.end());
  convertUsersOfConstantsToInstructions(Constants);
  Accesses Accesses(M);
  for (GlobalValue *G : Named)
    Accesses.rewrite(*G);

  Records Tell(M);
  for (GlobalVariable *Word : Accesses.unsureWords())
    Tell.describe(*Word);
  for (GlobalVariable *G : Variables) {
    if (G->isDeclaration() || G->hasAvailableExternallyLinkage()) {
      G->removeDeadConstantUsers();
      if (!G->use_empty() && !G->hasAttribute(UnsureAttribute))
        Tell.use(*G);
      continue;
    }
    place(*G);
    Tell.describe(*G);
    Tell.addressesIn(*G);
    if (G->isWeakForLinker())
      Tell.use(*G);
  }
  if (any_of(Variables, [](const GlobalVariable *G) { return isThreadLocal(*G); }))
    separateThreadLocals(M);
  return PreservedAnalyses::none();
}

} // namespace skein
