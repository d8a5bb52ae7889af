//===- PrivateHeap.cpp -------------------------------------------------------===//
//
// With -fskein-heap=private the names of libc's allocation functions mean the runtime's, in calls and where their
// addresses are taken. A function that this module defines itself is left alone, and all of them are if it defines its
// own heap, since its own free gets what getline returns. Functions that return or resize a block from malloc (strdup,
// getline and others) are mapped as well. Blocks of libc that come another way are recognised by their address when
// they are freed (skein/heap.h).
//
// The pass runs before the optimiser. The runtime's functions carry the attributes by which LLVM knows an allocation
// (allockind, allocsize, alloc-family), so unused blocks still vanish and two blocks still do not alias. (Rejected:
// renaming the functions last. Until then the type of a block would have to survive every transformation of a call that
// LLVM knows by name, and malloc and memset become one calloc without it.)
//
// Each allocation passes a *layout* along: where the pointers of its type are, or, with 1 added to the address, the
// place of an allocation whose type is not known. The frontend provides the type (see PrivateHeap.h). For the result of
// any other function it says to what it is converted, or that a sizeof is among its arguments; where that function may
// have allocated the block, the runtime is told.
//
//===----------------------------------------------------------------------===//
#include "PrivateHeap.h"
#include "abi/frame_map.h"
#include "abi/layout.h"
#include "passes/Passes.h"
#include "passes/RuntimeRecords.h"
#include "rules/HeapFunctions.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Instrumentation.h"
#include <array>

using namespace llvm;

static cl::opt<std::string> Heap("skein-heap", cl::init("process"),
                                 cl::desc("Whose heap malloc means: the process's or the thread's (process, private)"));

namespace skein {

bool privateHeapRequested() { return Heap == "private"; }

std::string HeapLayout::text() const {
  std::string Text;
  raw_string_ostream Out(Text);
  Out << Name << '|' << Flags << '|' << Head << '|' << Part;
  for (const auto *Words : {&HeadWords, &PartWords}) {
    Out << '|';
    for (const WordGroup &G : *Words)
      Out << G.Offset << '.' << G.Count << '.' << G.Stride << ' ';
  }
  return Text;
}

std::optional<HeapLayout> HeapLayout::parse(StringRef Text) {
  SmallVector<StringRef, 6> Fields;
  Text.split(Fields, '|');
  HeapLayout L;
  if (Fields.size() != 6 || Fields[1].getAsInteger(10, L.Flags) || Fields[2].getAsInteger(10, L.Head) ||
      Fields[3].getAsInteger(10, L.Part))
    return std::nullopt;
  L.Name = Fields[0].str();
  for (auto [Field, Words] : {std::pair(Fields[4], &L.HeadWords), std::pair(Fields[5], &L.PartWords)})
    for (StringRef Group : split(Field.rtrim(), ' ')) {
      skein_layout_words Read;
      auto [Offset, Rest] = Group.split('.');
      auto [Count, Stride] = Rest.split('.');
      if (Group.empty())
        continue;
      if (Offset.getAsInteger(10, Read.offset) || Count.getAsInteger(10, Read.count) ||
          Stride.getAsInteger(10, Read.stride))
        return std::nullopt;
      Words->push_back({SKEIN_LOCAL_POINTER, Read.offset, Read.stride, Read.count});
    }
  return L.HeadWords.size() <= UINT16_MAX && L.PartWords.size() <= UINT16_MAX ? std::optional(L) : std::nullopt;
}

namespace {

static constexpr StringRef LayoutSection = "skein_layouts";

/// Other names that the C library has for some of these functions.
constexpr std::pair<StringRef, StringRef> Aliases[] = {
    {"cfree", "free"}, {"__strdup", "strdup"}, {"__strndup", "strndup"}, {"__getdelim", "getdelim"}};

/// Operators new, and the functions that take a layout as well (runtime/private/heap/operators/operators.cpp).
constexpr std::pair<StringRef, StringRef> News[] = {
    {"_Znwm", "__skein_new"},
    {"_Znam", "__skein_new_array"},
    {"_ZnwmSt11align_val_t", "__skein_new_aligned"},
    {"_ZnamSt11align_val_t", "__skein_new_array_aligned"},
    {"_ZnwmRKSt9nothrow_t", "__skein_new_nothrow"},
    {"_ZnamRKSt9nothrow_t", "__skein_new_array_nothrow"},
};

/// The operators as a program with a private heap has them: each calls another one, or the runtime, with the first of
/// its arguments. A program may replace the first operator of a kind, and the others follow it.
struct Operator {
  StringRef Name, Calls;
  unsigned Passed;
};
constexpr Operator Operators[] = {
    {"_Znwm", "skein_own_new", 1},
    {"_Znam", "_Znwm", 1},
    {"_ZnwmSt11align_val_t", "skein_own_new_aligned", 2},
    {"_ZnamSt11align_val_t", "_ZnwmSt11align_val_t", 2},
    {"_ZnwmRKSt9nothrow_t", "skein_own_new_nothrow", 1},
    {"_ZnamRKSt9nothrow_t", "skein_own_new_array_nothrow", 1},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", "skein_own_new_aligned_nothrow", 2},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", "skein_own_new_array_aligned_nothrow", 2},
    {"_ZdlPv", "skein_free", 1},
    {"_ZdaPv", "_ZdlPv", 1},
    {"_ZdlPvm", "_ZdlPv", 1},
    {"_ZdaPvm", "_ZdaPv", 1},
    {"_ZdlPvRKSt9nothrow_t", "_ZdlPv", 1},
    {"_ZdaPvRKSt9nothrow_t", "_ZdaPv", 1},
    {"_ZdlPvSt11align_val_t", "skein_free", 1},
    {"_ZdaPvSt11align_val_t", "_ZdlPvSt11align_val_t", 2},
    {"_ZdlPvmSt11align_val_t", "_ZdlPvSt11align_val_t", 1},
    {"_ZdaPvmSt11align_val_t", "_ZdaPvSt11align_val_t", 1},
    {"_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdlPvSt11align_val_t", 2},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_t", 2},
};

/// Gives the function the attributes that LLVM knows of the operator.
void describeNew(Function &F, StringRef Operator) {
  LLVMContext &C = F.getContext();
  bool NoThrow = Operator.consume_back("RKSt9nothrow_t");
  AllocFnKind Kind = AllocFnKind::Alloc | AllocFnKind::Uninitialized;
  if (Operator.ends_with("St11align_val_t")) {
    Kind |= AllocFnKind::Aligned;
    F.addParamAttr(1, Attribute::AllocAlign);
  }
  F.addFnAttr(Attribute::get(C, Attribute::AllocKind, uint64_t(Kind)));
  F.addFnAttr("alloc-family", Operator);
  F.addFnAttr(Attribute::getWithAllocSizeArgs(C, 0, std::nullopt));
  F.addFnAttr(NoMigrateAttribute);
  F.addRetAttr(Attribute::NoAlias);
  if (NoThrow)
    F.setDoesNotThrow();
  else
    F.addRetAttr(Attribute::NonNull);
}

/// Gives the function the attributes that LLVM knows of libc's functions.
void describe(Function &F) {
  LLVMContext &C = F.getContext();
  F.setDoesNotThrow();
  F.addFnAttr(NoMigrateAttribute);
  AllocFnKind Kind = AllocFnKind::Unknown;
  int Size = -1, Count = -1;
  StringRef Name = F.getName();
  Name.consume_front("__");
  if (Name == "skein_malloc" || Name == "skein_valloc") {
    Kind = AllocFnKind::Alloc | AllocFnKind::Uninitialized;
    Size = 0;
  } else if (Name == "skein_calloc") {
    Kind = AllocFnKind::Alloc | AllocFnKind::Zeroed;
    Size = 0, Count = 1;
  } else if (Name == "skein_aligned_alloc" || Name == "skein_memalign") {
    Kind = AllocFnKind::Alloc | AllocFnKind::Uninitialized | AllocFnKind::Aligned;
    Size = 1;
  } else if (Name == "skein_realloc") {
    Kind = AllocFnKind::Realloc;
    Size = 1;
  } else if (Name == "skein_reallocarray") {
    Kind = AllocFnKind::Realloc;
    Size = 1, Count = 2;
  } else if (Name == "skein_free") {
    Kind = AllocFnKind::Free;
  }
  // A declaration such as `int malloc();` says nothing more.
  auto IsNumber = [&](int I) {
    return I < 0 || (unsigned(I) < F.arg_size() && F.getArg(unsigned(I))->getType()->isIntegerTy());
  };
  if (Kind == AllocFnKind::Unknown || !IsNumber(Size) || !IsNumber(Count) ||
      (Kind == AllocFnKind::Free ? F.arg_size() != 1 || !F.getArg(0)->getType()->isPointerTy()
                                 : !F.getReturnType()->isPointerTy()) ||
      (Kind == AllocFnKind::Realloc && !F.getArg(0)->getType()->isPointerTy()))
    return;
  bool Takes = Kind == AllocFnKind::Free || Kind == AllocFnKind::Realloc;
  F.addFnAttr(Attribute::get(C, Attribute::AllocKind, uint64_t(Kind)));
  F.addFnAttr("alloc-family", "skein_malloc");
  F.addFnAttr(Attribute::WillReturn);
  F.addFnAttr(Attribute::MustProgress);
  if (Size >= 0)
    F.addFnAttr(Attribute::getWithAllocSizeArgs(C, unsigned(Size),
                                                Count < 0 ? std::nullopt : std::optional<unsigned>(unsigned(Count))));
  if (Kind != AllocFnKind::Free)
    F.addRetAttr(Attribute::NoAlias);
  else
    F.addParamAttr(0, Attribute::getWithCaptureInfo(C, CaptureInfo::none()));
  if (Takes)
    F.addParamAttr(0, Attribute::AllocatedPointer);
  if ((Kind & AllocFnKind::Aligned) != AllocFnKind::Unknown && IsNumber(0))
    F.addParamAttr(0, Attribute::AllocAlign);
  F.setMemoryEffects(Takes ? MemoryEffects::inaccessibleOrArgMemOnly() : MemoryEffects::inaccessibleMemOnly());
}

class Lowering {
public:
  explicit Lowering(Module &M) : M(M), C(M.getContext()) {}

  bool run() {
    if (M.getFunction(SizedFunction) || M.getFunction(TypedFunction))
      findAllocating();
    takeTypes();
    takeNews();
    bool Private = privateHeapRequested() && !definesHeap();
    auto MapIfDeclared = [&](StringRef Name, const HeapFunction &To) {
      if (Function *F = M.getFunction(Name); F && F->isDeclaration())
        map(*F, To);
    };
    for (const HeapFunction &F : HeapFunctions) {
      if (Private)
        MapIfDeclared(F.Standard, F);
      MapIfDeclared(F.Own, F);
    }
    if (Private)
      for (auto [Alias, Standard] : Aliases)
        MapIfDeclared(Alias, *heapFunction(Standard));
    return Changed;
  }

private:
  bool definesHeap() const {
    return any_of(std::array{"malloc", "free"}, [&](StringRef Name) {
      Function *F = M.getFunction(Name);
      return F && !F->isDeclaration();
    });
  }

  // --- what the frontend said ---

  static StringRef text(const Value *V) {
    StringRef Text;
    return getConstantStringInfo(V, Text) ? Text : StringRef();
  }

  void takeTypes() {
    if (Function *Sized = M.getFunction(SizedFunction)) {
      for (User *U : make_early_inc_range(Sized->users())) {
        auto *Call = cast<CallBase>(U);
        for (User *Allocation : make_early_inc_range(Call->users()))
          if (auto *A = dyn_cast<CallBase>(Allocation); A && allocates(*A))
            Types[A] = text(Call->getArgOperand(1));
          else if (A)
            tellType(*A, text(Call->getArgOperand(1)));
        replaceByArgument(*Call);
      }
      Sized->eraseFromParent();
    }
    if (Function *Typed = M.getFunction(TypedFunction)) {
      for (User *U : make_early_inc_range(Typed->users()))
        takeTyped(*cast<CallBase>(U));
      Typed->eraseFromParent();
    }
  }

  void takeNews() {
    for (Function &F : make_early_inc_range(M)) {
      StringRef Name = F.getName();
      if (!Name.consume_front(NewPrefix))
        continue;
      auto [Operator, Text] = Name.split(':');
      for (User *U : make_early_inc_range(F.users())) {
        Types[cast<CallBase>(U)] = Saver.save(Text);
        Function *Real = cast<Function>(M.getOrInsertFunction(Operator, F.getFunctionType()).getCallee());
        if (Real->use_empty()) {
          Real->setAttributes(F.getAttributes());
          Real->addFnAttr(Attribute::NoBuiltin); // calls of it are builtin; see LLVM's language reference
        }
        cast<CallBase>(U)->setCalledFunction(Real);
      }
      F.eraseFromParent();
      Changed = true;
    }
    if (!privateHeapRequested())
      return;
    for (auto &[Operator, Typed] : News)
      if (Function *F = M.getFunction(Operator); F && F->isDeclaration())
        for (User *U : make_early_inc_range(F->users()))
          if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == F)
            describeNew(*passTo(*Call, Typed), Operator);
    defineOperators();
  }

  /// Defines the operators in each unit of a program that uses one, as weak functions. Since they are in a regular
  /// object, they take precedence over those of libstdc++.so, which then uses them too. (Code for shared objects uses
  /// those of the program.)
  void defineOperators() {
    bool Program = M.getPIELevel() != PIELevel::Default || M.getPICLevel() == PICLevel::NotPIC;
    if (!Program || none_of(Operators, [&](const Operator &O) { return M.getFunction(O.Name); }))
      return;
    Type *Pointer = PointerType::get(C, 0), *Word = Type::getInt64Ty(C);
    auto TypeOf = [&](StringRef Name) {
      bool New = Name.starts_with("_Zn");
      SmallVector<Type *, 3> Parameters{New ? Word : Pointer};
      StringRef Rest = Name.drop_front(New ? 5 : 6);
      if (!New && Rest.consume_front("m"))
        Parameters.push_back(Word);
      if (Rest.consume_front("St11align_val_t"))
        Parameters.push_back(Word);
      if (!Rest.empty())
        Parameters.push_back(Pointer);
      return FunctionType::get(New ? Pointer : Type::getVoidTy(C), Parameters, false);
    };
    for (const Operator &O : Operators) {
      auto *F = cast<Function>(M.getOrInsertFunction(O.Name, TypeOf(O.Name)).getCallee());
      if (!F->isDeclaration() || F->getFunctionType() != TypeOf(O.Name))
        continue; // the unit has its own
      F->setLinkage(GlobalValue::WeakAnyLinkage);
      F->setSubprogram(nullptr); // under -g this is the subprogram of the declaration, which no definition may have
      F->addFnAttr(NoMigrateAttribute);
      F->setUWTableKind(UWTableKind::Default);
      if (O.Name.starts_with("_Zd") || O.Name.contains("nothrow"))
        F->setDoesNotThrow();
      IRBuilder<> B(BasicBlock::Create(C, "", F));
      SmallVector<Value *, 3> Arguments;
      for (unsigned I = 0; I < O.Passed; ++I)
        Arguments.push_back(F->getArg(I));
      SmallVector<Type *, 3> Types;
      for (Value *V : Arguments)
        Types.push_back(V->getType());
      FunctionType *Called =
          O.Calls.starts_with("_Z") ? TypeOf(O.Calls) : FunctionType::get(F->getReturnType(), Types, false);
      // A sized and aligned delete passes on the alignment, not the size.
      while (Arguments.size() < Called->getNumParams())
        Arguments.push_back(F->getArg(F->arg_size() - 1));
      FunctionCallee Callee = M.getOrInsertFunction(O.Calls, Called);
      if (auto *Target = cast<Function>(Callee.getCallee()); Target->isDeclaration())
        Target->addFnAttr(NoMigrateAttribute);
      CallInst *Call = B.CreateCall(Callee, Arguments);
      if (Call->getType()->isVoidTy())
        B.CreateRetVoid();
      else
        B.CreateRet(Call);
    }
    Changed = true;
  }

  /// Whether this is a function of the C library, or an operator, that is mapped here and takes a layout.
  static bool isAllocation(const Function &F) {
    const StringRef Name = F.getName();
    return heapFunction(Name) || ownHeapFunction(Name) ||
           any_of(Aliases, [&](const auto &Alias) { return Name == Alias.first; }) ||
           any_of(News, [&](const auto &New) { return Name == New.first; });
  }
  static bool allocates(const CallBase &Call) {
    const Function *F = Call.getCalledFunction();
    return F && isAllocation(*F);
  }

  void takeTyped(CallBase &Call) {
    if (auto *Made = dyn_cast<CallBase>(Call.getArgOperand(0)))
      tellType(*Made, text(Call.getArgOperand(1)));
    replaceByArgument(Call);
  }

  /// The call may return a block that was just allocated: the runtime is told its type.
  void tellType(CallBase &Made, StringRef Text) {
    std::optional<HeapLayout> L = HeapLayout::parse(Text);
    if (!L || !Made.getType()->isPointerTy() || !mayAllocate(Made))
      return;
    BasicBlock::iterator At = std::next(Made.getIterator());
    if (auto *Invoke = dyn_cast<InvokeInst>(&Made))
      At = SplitEdge(Invoke->getParent(), Invoke->getNormalDest())->begin();
    IRBuilder<> B(At->getParent(), At);
    FunctionCallee Tell = M.getOrInsertFunction("__skein_heap_type",
                                                FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getPtrTy()}, false));
    auto *F = cast<Function>(Tell.getCallee());
    F->addFnAttr(NoMigrateAttribute);
    F->setDoesNotThrow();
    B.CreateCall(Tell, {&Made, emit(*L)});
  }

  void replaceByArgument(CallBase &Call) {
    Changed = true;
    Call.replaceAllUsesWith(Call.getArgOperand(0));
    if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
      Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
      IRBuilder<>(Invoke).CreateBr(Invoke->getNormalDest());
    }
    Call.eraseFromParent();
  }

  /// Whether the result of the call may be a block that was just allocated. This is a hint, since the runtime can tell
  /// blocks from other memory.
  bool mayAllocate(const CallBase &Call) const {
    const Function *Callee = Call.getCalledFunction();
    return !Callee || Allocating.contains(Callee);
  }

  static bool isNamedLikeAllocation(const Function &F) {
    static constexpr StringRef Stems[] = {"alloc", "new", "creat", "make", "dup", "mem", "get"};
    std::string Name = F.getName().lower();
    return any_of(Stems, [&](StringRef Stem) { return StringRef(Name).contains(Stem); });
  }

  /// Finds the functions whose result may be such a block. Where a body is seen, it decides: it calls one of these
  /// functions, or calls through a pointer and is named like an allocation.
  void findAllocating() {
    SmallVector<const Function *, 32> Work;
    auto Add = [&](const Function &F) {
      if (Allocating.insert(&F).second)
        Work.push_back(&F);
    };
    auto CallsThroughPointer = [](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return Call && Call->isIndirectCall() && Call->getType()->isPointerTy();
    };
    for (const Function &F : M)
      if (F.returnDoesNotAlias() || isAllocation(F) ||
          (isNamedLikeAllocation(F) &&
           (F.isDeclaration() || F.isInterposable() || any_of(instructions(F), CallsThroughPointer))))
        Add(F);
    while (!Work.empty()) {
      const Function *Callee = Work.pop_back_val();
      for (const User *U : Callee->users())
        if (const auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == Callee)
          if (const Function *Caller = Call->getFunction(); Caller->getReturnType()->isPointerTy())
            Add(*Caller);
    }
  }

  // --- layouts ---

  Constant *emit(const HeapLayout &L) {
    MD5 Hash;
    Hash.update(L.text());
    MD5::MD5Result Digest;
    Hash.final(Digest);
    std::string Name = ("__skein_layout." + Digest.digest()).str();
    if (GlobalVariable *Known = M.getNamedGlobal(Name))
      return Known;
    GlobalVariable *G = make(L, Name);
    G->setLinkage(GlobalValue::LinkOnceODRLinkage);
    G->setVisibility(GlobalValue::HiddenVisibility);
    G->setComdat(M.getOrInsertComdat(Name));
    return G;
  }

  /// The place of an allocation, with 1 added to its address.
  Constant *place(const CallBase &Call) {
    std::string Text = Call.getFunction()->getName().str();
    if (const DILocation *At = Call.getDebugLoc())
      Text = (sys::path::filename(At->getFilename()) + ":" + Twine(At->getLine())).str();
    Constant *&Place = Places[Text];
    if (!Place) {
      HeapLayout L;
      L.Name = Text;
      L.Flags = SKEIN_LAYOUT_UNTYPED;
      Place = ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(C), make(L, "skein.place"),
                                                     ConstantInt::get(Type::getInt64Ty(C), 1));
    }
    return Place;
  }

  GlobalVariable *make(const HeapLayout &L, const Twine &Name) {
    Type *Half = Type::getInt32Ty(C), *Quarter = Type::getInt16Ty(C);
    StructType *Words = StructType::get(Half, Quarter, Quarter);
    SmallVector<Constant *, 8> All;
    for (const auto *Part : {&L.HeadWords, &L.PartWords})
      for (const WordGroup &G : *Part)
        All.push_back(ConstantStruct::get(Words, {ConstantInt::get(Half, G.Offset), ConstantInt::get(Quarter, G.Count),
                                                  ConstantInt::get(Quarter, G.Stride)}));
    ArrayType *Array = ArrayType::get(Words, All.size());
    StructType *Type = StructType::get(Half, Half, Half, Half, Quarter, Quarter, Half, Array);
    GlobalVariable &G = createRecord(M, Type, Name, LayoutSection);
    auto *Text = createPrivateGlobalForString(M, L.Name, /*AllowMerging=*/true, "skein.layout.name");
    G.setInitializer(ConstantStruct::get(Type, {distanceTo(Text, G, 0), ConstantInt::get(Half, L.Flags),
                                                ConstantInt::get(Half, L.Head), ConstantInt::get(Half, L.Part),
                                                ConstantInt::get(Quarter, L.HeadWords.size()),
                                                ConstantInt::get(Quarter, L.PartWords.size()),
                                                ConstantInt::get(Half, 0), ConstantArray::get(Array, All)}));
    Changed = true;
    return &G;
  }

  // --- functions ---

  /// Calls of `From` (libc's function, or the runtime's by its public name) pass a layout along; all other uses become
  /// uses of the runtime's function.
  void map(Function &From, const HeapFunction &Names) {
    Function *To = &From;
    if (From.getName() != Names.Own) {
      To = cast<Function>(M.getOrInsertFunction(Names.Own, From.getFunctionType()).getCallee()->stripPointerCasts());
      Changed = true;
    }
    describe(*To);
    if (!Names.Typed.empty())
      for (User *U : make_early_inc_range(From.users()))
        if (auto *Call = dyn_cast<CallBase>(U);
            Call && Call->getCalledFunction() == &From && hasRightType(From, Call->getFunctionType()))
          pass(*Call, Names);
    if (To != &From) {
      From.replaceAllUsesWith(To);
      From.eraseFromParent();
    }
  }

  /// Whether the function was declared as libc declares it (and not as `int malloc()`).
  static bool hasRightType(const Function &F, const FunctionType *Called) {
    if (Called != F.getFunctionType() || Called->isVarArg() || !Called->getReturnType()->isPointerTy())
      return false;
    bool Takes = F.getName().contains("realloc");
    for (unsigned I = 0; I < Called->getNumParams(); ++I)
      if (Takes && I == 0 ? !Called->getParamType(I)->isPointerTy() : !Called->getParamType(I)->isIntegerTy(64))
        return false;
    return true;
  }

  void pass(CallBase &Call, const HeapFunction &Names) { describe(*passTo(Call, Names.Typed)); }

  /// Replaces the call by one of `Typed`, with the layout as an additional argument.
  Function *passTo(CallBase &Call, StringRef Typed) {
    auto Type = Types.find(&Call);
    std::optional<HeapLayout> L = Type == Types.end() ? std::nullopt : HeapLayout::parse(Type->second);
    SmallVector<llvm::Type *, 4> Parameters(Call.getFunctionType()->params());
    Parameters.push_back(PointerType::get(C, 0));
    FunctionCallee Callee =
        M.getOrInsertFunction(Typed, FunctionType::get(Call.getType(), Parameters, /*isVarArg=*/false));
    SmallVector<Value *, 4> Arguments(Call.args());
    Arguments.push_back(L ? emit(*L) : place(Call));
    CallBase *New;
    if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
      New = InvokeInst::Create(Callee, Invoke->getNormalDest(), Invoke->getUnwindDest(), Arguments, "",
                               Call.getIterator());
    } else {
      New = CallInst::Create(Callee, Arguments, "", Call.getIterator());
      cast<CallInst>(New)->setTailCallKind(cast<CallInst>(Call).getTailCallKind() == CallInst::TCK_MustTail
                                               ? CallInst::TCK_Tail
                                               : cast<CallInst>(Call).getTailCallKind());
    }
    New->setDebugLoc(Call.getDebugLoc());
    New->takeName(&Call);
    Call.replaceAllUsesWith(New);
    Types.erase(&Call);
    Call.eraseFromParent();
    Changed = true;
    return cast<Function>(Callee.getCallee());
  }

  Module &M;
  LLVMContext &C;
  DenseMap<CallBase *, StringRef> Types; ///< of allocations
  SmallPtrSet<const Function *, 32> Allocating;
  StringMap<Constant *> Places;
  BumpPtrAllocator Memory;
  StringSaver Saver{Memory};
  bool Changed = false;
};

} // namespace

PreservedAnalyses PrivateHeapPass::run(Module &M, ModuleAnalysisManager &) {
  return Lowering(M).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace skein
