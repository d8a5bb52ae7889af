//===- PartReaders.cpp -------------------------------------------------------===//
//
// Text is read byte by byte, and so are the bytes of an address that some code hashes, reverses or encrypts. A check of
// the word around each byte that is read would tell the two apart, but would make a scanner a third slower (measured).
// The code that owns the object knows more: a local whose type has pointers or unions is no text. So where the address
// of such a local is passed to a function that reads parts of words, its words are reported to the runtime before the
// call, and the function itself is not slowed down.
//
// This works for the functions of one module, or of a program that is optimised as a whole. Code without optimisation
// reports each word by itself (EscapingAddresses.cpp).
//
// The same is done for functions of the C library that make something else of the bytes that they get
// (LibraryFacts.def, TakesApart).
//
//===----------------------------------------------------------------------===//
#include "PartReaders.h"
#include "PartsOfWords.h"
#include "PointerTypes.h"
#include "WordGroups.h"
#include "passes/ir/LibraryFacts.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <numeric>

using namespace llvm;

namespace skein {

static constexpr const char *ReaderAttribute = "skein-reads-parts";
/// If a local has more such words, they are not reported one by one: its address is, so the thread stays.
static constexpr size_t MostWords = 256;

namespace {

/// How far an address is from the object from which it is computed: `Offset` bytes, plus any multiple of `Period`.
struct Distance {
  int64_t Offset = 0;
  uint64_t Period = 0; ///< 0: exactly `Offset`; 1: nothing is known

  Distance plus(const Distance &Other) const { return {Offset + Other.Offset, std::gcd(Period, Other.Period)}; }
};

/// The base to which numbers are added to compute an address. The numbers are added to `D`.
const Value *strip(const Value *Pointer, const DataLayout &DL, Distance &D) {
  while (const auto *Gep = dyn_cast<GEPOperator>(Pointer)) {
    SmallMapVector<Value *, APInt, 4> Variable;
    APInt Constant(64, 0);
    if (!Gep->collectOffset(DL, 64, Variable, Constant))
      D.Period = 1;
    D.Offset += Constant.getSExtValue();
    for (auto &[Index, Scale] : Variable)
      D.Period = std::gcd(D.Period, Scale.abs().getZExtValue());
    Pointer = Gep->getPointerOperand();
  }
  return Pointer;
}

/// The bytes behind an argument that a function reads in parts: a few ranges, each repeated as its distance says.
struct Bytes {
  struct Range {
    Distance At;
    int64_t Count;
    bool operator==(const Range &R) const {
      return At.Offset == R.At.Offset && At.Period == R.At.Period && Count == R.Count;
    }
  };
  SmallVector<Range, 4> Ranges;

  /// True if this adds something new.
  bool add(Range New) {
    if (New.At.Period)
      New.At.Offset = wrap(New.At.Offset, New.At.Period);
    if (Ranges.size() == Most)
      New = {{0, 1}, 1};
    if (is_contained(Ranges, New) || Ranges.size() > Most)
      return false;
    Ranges.push_back(New);
    return true;
  }
  /// Whether some bytes of a word are read.
  bool touch(int64_t Word) const {
    return any_of(Ranges, [&](const Range &R) {
      const int64_t Behind = Word - R.At.Offset;
      if (!R.At.Period)
        return Behind < R.Count && Behind > -8;
      return wrap(Behind, R.At.Period) < R.Count || wrap(-Behind, R.At.Period) < 8;
    });
  }

  /// "0:8:24,": offset, count, period.
  std::string text() const {
    std::string Text;
    for (const Range &R : Ranges)
      Text += (Twine(R.At.Offset) + ":" + Twine(R.Count) + ":" + Twine(R.At.Period) + ",").str();
    return Text;
  }
  static Bytes of(StringRef Text) {
    Bytes Result;
    SmallVector<StringRef, 4> Ranges;
    Text.split(Ranges, ',', -1, /*KeepEmpty=*/false);
    for (StringRef Each : Ranges) {
      Range R;
      auto [Offset, Rest] = Each.split(':');
      auto [Count, Period] = Rest.split(':');
      if (Offset.getAsInteger(10, R.At.Offset) || Count.getAsInteger(10, R.Count) ||
          Period.getAsInteger(10, R.At.Period))
        R = {{0, 1}, 1};
      Result.Ranges.push_back(R);
    }
    return Result;
  }

private:
  static int64_t wrap(int64_t N, uint64_t Period) {
    const auto P = int64_t(Period);
    return (N % P + P) % P;
  }
  static constexpr size_t Most = 16; ///< one more range stands for everything
};

/// What an address is computed from: arguments of its function, all at the same distance.
struct Origins {
  SmallVector<const Argument *, 2> From;
  Distance At;
};

/// Finds origins, also through merges and local variables (-O0). A number that is added on the way through one of these
/// may be added again and again. If there are too many values, any pointer that the function was given may be an
/// origin, at any distance. A variable is followed once for everything that is read from it.
class OriginFinder {
public:
  Origins of(const Value *Pointer, const Function &F) {
    const DataLayout &DL = F.getDataLayout();
    Distance At;
    const Value *Base = source(strip(Pointer, DL, At));
    if (!Base)
      return {};
    auto [Known, New] = OfBase.try_emplace(Base);
    if (New)
      Known->second = find(Base, F, DL);
    return {Known->second.From, At.plus(Known->second.At)};
  }

private:
  /// The variable from which a value is read, or else the value itself. So a variable stands for its content. Null for
  /// the address of a variable, which the function was not given.
  static const Value *source(const Value *V) {
    if (const auto *Load = dyn_cast<LoadInst>(V); Load && isa<AllocaInst>(Load->getPointerOperand()))
      return Load->getPointerOperand();
    return isa<AllocaInst>(V) ? nullptr : V;
  }

  static Origins find(const Value *Base, const Function &F, const DataLayout &DL) {
    constexpr unsigned MostValues = 256;
    Origins Found;
    SmallSetVector<const Value *, 16> Work;
    Work.insert(Base);
    auto Add = [&](const Value *V) {
      Distance Step;
      if (const Value *From = source(strip(V, DL, Step)))
        Work.insert(From);
      Found.At.Period = std::gcd(Found.At.Period, std::gcd(Step.Period, uint64_t(std::abs(Step.Offset))));
    };
    for (unsigned N = 0; N < Work.size(); ++N) {
      if (N == MostValues) {
        Found = {{}, {0, 1}};
        for (const Argument &A : F.args())
          if (A.getType()->isPointerTy())
            Found.From.push_back(&A);
        return Found;
      }
      const Value *V = Work[N];
      if (const auto *A = dyn_cast<Argument>(V))
        Found.From.push_back(A);
      else if (const auto *Merge = dyn_cast<PHINode>(V))
        for_each(Merge->incoming_values(), Add);
      else if (const auto *Choice = dyn_cast<SelectInst>(V))
        Add(Choice->getTrueValue()), Add(Choice->getFalseValue());
      else if (const auto *Variable = dyn_cast<AllocaInst>(V))
        for (const User *U : Variable->users())
          if (const auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == Variable)
            Add(Store->getValueOperand());
    }
    return Found;
  }

  DenseMap<const Value *, Origins> OfBase;
};

bool isArgument(const CallBase &Call, const Use &U) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Call.isArgOperand(&U) && Call.getArgOperandNo(&U) < Callee->arg_size() &&
         U->getType()->isPointerTy();
}

class Readers {
public:
  Readers(Module &M, PartsIn Parts) {
    for (Function &F : M) {
      if (!F.isDeclaration()) {
        findReads(F, Parts(F));
      } else if (library(F, LibraryFact::TakesApart) && F.arg_size()) {
        All[F.getArg(0)].add({{0, 1}, 1});
        changed(*F.getArg(0));
      }
    }
    while (!Work.empty())
      passOn(*Work.pop_back_val());
    for (auto &[A, Reads] : All)
      const_cast<Argument *>(A)->addAttr(Attribute::get(M.getContext(), ReaderAttribute, Reads.text()));
  }

private:
  void mark(const Value *Pointer, const Function &F, const Bytes::Range &Read) {
    const Origins Found = Finder.of(Pointer, F);
    for (const Argument *A : Found.From)
      if (All[A].add({Found.At.plus(Read.At), Read.Count}))
        changed(*A);
  }

  void changed(const Argument &A) {
    for (const User *U : A.getParent()->users())
      if (const auto *Call = dyn_cast<CallBase>(U); Call && Call->arg_size() > A.getArgNo())
        if (const Use &Passed = Call->getArgOperandUse(A.getArgNo()); isArgument(*Call, Passed))
          Work.insert(&Passed);
  }

  void findReads(const Function &F, const PartsOfWords &Parts) {
    const DataLayout &DL = F.getDataLayout();
    std::optional<DominatorTree> DT;
    std::optional<LoopInfo> LI;
    auto Loops = [&]() -> const LoopInfo & {
      if (!LI)
        LI.emplace(DT.emplace(const_cast<Function &>(F)));
      return *LI;
    };
    for (const Instruction &I : instructions(F)) {
      if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Parts.contains(Load)) {
        const bool Copied = !Load->use_empty() && all_of(Load->users(), [&](const User *U) {
          return isStepOfCopy(*Load, *cast<Instruction>(U), Loops());
        });
        if (!Copied)
          mark(Load->getPointerOperand(), F, {{}, int64_t(DL.getTypeStoreSize(Load->getType()).getFixedValue())});
      }
      if (isAtomicOnPart(I))
        mark(I.getOperand(0), F, {{}, int64_t(DL.getTypeStoreSize(I.getOperand(1)->getType()).getFixedValue())});
      // The length of each step is not known.
      if (const auto *Copy = dyn_cast<MemTransferInst>(&I);
          Copy && !isa<ConstantInt>(Copy->getLength()) && Loops().getLoopFor(I.getParent()))
        mark(Copy->getRawSource(), F, {{0, 1}, 1});
    }
  }

  /// What the function reads of an argument, it also reads of what the caller computed the argument from.
  void passOn(const Use &Passed) {
    const auto &Call = *cast<CallBase>(Passed.getUser());
    const Bytes Read = All.lookup(Call.getCalledFunction()->getArg(Call.getArgOperandNo(&Passed)));
    for (const Bytes::Range &R : Read.Ranges)
      mark(Passed, *Call.getFunction(), R);
  }

  OriginFinder Finder;
  MapVector<const Argument *, Bytes> All;
  SmallSetVector<const Use *, 32> Work; ///< arguments of calls of which more is read than was passed on
};

} // namespace

void markPartReaders(Module &M, PartsIn Parts) { Readers Marked(M, Parts); }

static bool isBytes(const Type *T) {
  while (const auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  return T->isIntegerTy(8);
}

SmallVector<Value *, 4> wordsReadInParts(CallBase &Call, const PartsOfWords &InCaller) {
  SmallVector<Value *, 4> Words;
  const DataLayout &DL = Call.getDataLayout();
  IRBuilder<> B(&Call);
  for (const Use &U : Call.args()) {
    auto *Local = dyn_cast<AllocaInst>(getUnderlyingObject(U, 0));
    if (!Local || !Local->isStaticAlloca() || !isArgument(Call, U))
      continue;
    Attribute Reader =
        Call.getCalledFunction()->getAttributes().getParamAttr(Call.getArgOperandNo(&U), ReaderAttribute);
    if (!Reader.isValid())
      continue;
    Bytes Reads = Bytes::of(Reader.getValueAsString());
    Distance Begin;
    if (strip(U, DL, Begin) != Local)
      Begin.Period = 1;
    for (Bytes::Range &R : Reads.Ranges)
      R.At = R.At.plus(Begin);
    Type *T = Local->getAllocatedType();
    SmallSetVector<int64_t, 8> Offsets;
    auto Add = [&](int64_t Word) {
      if (Reads.touch(Word) && Offsets.size() <= MostWords)
        Offsets.insert(Word);
    };
    for_each(InCaller.wordsWritten(*Local), Add);
    SmallVector<WordGroup, 4> Groups;
    const bool Described = isBytes(T) || appendWordGroups(T, 0, DL, Groups);
    for (const WordGroup &G : Groups)
      for (int64_t N = 0; N < G.Count && Offsets.size() <= MostWords; N += std::max<int64_t>(8 / G.Stride, 1))
        Add(G.Offset + N * G.Stride);
    if (!Described || Offsets.size() > MostWords)
      Words.push_back(Local);
    else
      for (int64_t Offset : Offsets)
        Words.push_back(loadForWitness(B, *Local, Offset));
  }
  return Words;
}

} // namespace skein
