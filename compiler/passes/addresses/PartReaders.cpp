//===- PartReaders.cpp -------------------------------------------------------===//
//
// Text is read byte by byte, and so are the bytes of an address that some code hashes, reverses or encrypts. A check of
// the word around each byte that is read would tell the two apart, but would make a scanner a third slower (measured).
// The code that owns the object knows more: a local whose type has pointers or unions is no text. So where the address
// of such a local is passed to a function that reads parts of words, its words are reported to the runtime before the
// call, and the function itself is not slowed down.
//
// A function that copies any number of bytes, or bytes of something that has lost its type on the way, counts as a
// reader of parts, too: `copy` with two parameters `void *` puts a pointer where other code finds a number. But a
// function that only copies, from argument to argument, does no harm between places that are alike: two structs of one
// type, or arrays of pointers.
//
// This works for the functions of one module, or of a program that is optimised as a whole. Code without optimisation
// reports each word by itself (EscapingAddresses.cpp).
//
// The same is done for functions of the C library that make something else of the bytes that they get
// (LibraryFacts.def, TakesApart).
//
//===----------------------------------------------------------------------===//
#include "PartReaders.h"
#include "CopiesToNumbers.h"
#include "PartsOfWords.h"
#include "PointerTypes.h"
#include "WordEvidence.h"
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
  /// Where the bytes go: from one argument to another at the same distance, to any places that arguments lead to, or
  /// anywhere.
  enum Ways : unsigned { InStep, ToArguments, Anywhere };
  struct Range {
    Distance At;
    int64_t Count;
    unsigned Way = Anywhere;
    bool operator==(const Range &R) const {
      return At.Offset == R.At.Offset && At.Period == R.At.Period && Count == R.Count && Way == R.Way;
    }
  };
  static constexpr int64_t ToTheEnd = int64_t(1) << 40;
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
  /// Whether some bytes of a word are read, and not only moved in ways that are harmless.
  bool touch(int64_t Word, unsigned Harmless) const {
    return any_of(Ranges, [&](const Range &R) {
      if (R.Way < Harmless)
        return false;
      const int64_t Behind = Word - R.At.Offset;
      if (!R.At.Period)
        return Behind < R.Count && Behind > -8;
      return wrap(Behind, R.At.Period) < R.Count || wrap(-Behind, R.At.Period) < 8;
    });
  }

  /// Writes "0:8:24:2,": offset, count, period, way.
  std::string text() const {
    std::string Text;
    for (const Range &R : Ranges)
      Text += (Twine(R.At.Offset) + ":" + Twine(R.Count) + ":" + Twine(R.At.Period) + ":" + Twine(R.Way) + ",").str();
    return Text;
  }
  static Bytes of(StringRef Text) {
    Bytes Result;
    SmallVector<StringRef, 4> Ranges;
    Text.split(Ranges, ',', -1, /*KeepEmpty=*/false);
    for (StringRef Each : Ranges) {
      Range R;
      auto [Offset, Rest] = Each.split(':');
      auto [Count, Last] = Rest.split(':');
      auto [Period, Way] = Last.split(':');
      if (Offset.getAsInteger(10, R.At.Offset) || Count.getAsInteger(10, R.Count) ||
          Period.getAsInteger(10, R.At.Period) || Way.getAsInteger(10, R.Way))
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
  bool Others = false; ///< something else may be one, too
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
      return {{}, {}, /*Others=*/true};
    auto [Known, New] = OfBase.try_emplace(Base);
    if (New)
      Known->second = find(Base, F, DL);
    return {Known->second.From, At.plus(Known->second.At), Known->second.Others};
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
      else
        Found.Others = true;
      Found.At.Period = std::gcd(Found.At.Period, std::gcd(Step.Period, uint64_t(std::abs(Step.Offset))));
    };
    for (unsigned N = 0; N < Work.size(); ++N) {
      if (N == MostValues) {
        Found = {{}, {0, 1}, /*Others=*/true};
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
      else if (const auto *Variable = dyn_cast<AllocaInst>(V)) {
        for (const User *U : Variable->users())
          if (const auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == Variable)
            Add(Store->getValueOperand());
      } else {
        Found.Others = true;
      }
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
      if (All[A].add({Found.At.plus(Read.At), Read.Count, Read.Way}))
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
        unsigned Way = Load->use_empty() ? Bytes::Anywhere : Bytes::InStep;
        for (const User *U : Load->users())
          Way = std::max(Way, isStepOfCopy(*Load, *cast<Instruction>(U), Loops())
                                  ? way(*Load->getPointerOperand(), *cast<StoreInst>(U)->getPointerOperand(), F)
                                  : unsigned(Bytes::Anywhere));
        mark(Load->getPointerOperand(), F, {{}, int64_t(DL.getTypeStoreSize(Load->getType()).getFixedValue()), Way});
      }
      if (isAtomicOnPart(I))
        mark(I.getOperand(0), F, {{}, int64_t(DL.getTypeStoreSize(I.getOperand(1)->getType()).getFixedValue())});
      if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
        lookAtCopy(*Copy, F, Loops);
    }
  }

  /// A copy of any number of bytes does not tell what they are. Without optimisation, a copy of so many words does not
  /// either, if its place has lost its type. With it, the words are loaded and stored (EscapingAddresses.cpp).
  /// In a loop it may be one step of many, between which the thread may move.
  void lookAtCopy(const MemTransferInst &Copy, const Function &F, function_ref<const LoopInfo &()> Loops) {
    const Value *To = Copy.getRawDest();
    const bool Fixed = isa<ConstantInt>(Copy.getLength());
    const bool Told = F.hasOptNone() && !isa<AllocaInst>(getUnderlyingObject(To)) &&
                      (losesItsType(To) || isNumbers(To, F.getDataLayout()));
    if (isTypedCopy(Copy) || (Fixed && !Told))
      return;
    const bool IsStep = Loops().getLoopFor(Copy.getParent());
    const unsigned Way = IsStep ? unsigned(Bytes::Anywhere) : way(*Copy.getRawSource(), *To, F);
    mark(Copy.getRawSource(), F, {{}, Bytes::ToTheEnd, Way});
  }

  /// Whether numbers, or halves of them, are declared at the place.
  static bool isNumbers(const Value *Place, const DataLayout &DL) {
    const Type *T = declaredAt(Place, 0, DL);
    return T && !T->isIntegerTy(8) && !isPointer(T);
  }

  unsigned way(const Value &From, const Value &To, const Function &F) {
    const Origins Source = Finder.of(&From, F), Target = Finder.of(&To, F);
    if (Target.Others)
      return Bytes::Anywhere;
    const bool Same = Source.At.Offset == Target.At.Offset && Source.At.Period == Target.At.Period;
    return Same ? Bytes::InStep : Bytes::ToArguments;
  }

  /// What the function reads of an argument, it also reads of what the caller computed the argument from.
  void passOn(const Use &Passed) {
    const auto &Call = *cast<CallBase>(Passed.getUser());
    const Bytes Read = All.lookup(Call.getCalledFunction()->getArg(Call.getArgOperandNo(&Passed)));
    for (const Bytes::Range &R : Read.Ranges)
      // Anywhere, since the callee's other arguments are not those of this function.
      mark(Passed, *Call.getFunction(), {R.At, R.Count});
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

static bool isPointersOnly(const Type *T) {
  while (const auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  const auto *Struct = dyn_cast<StructType>(T);
  return Struct ? all_of(Struct->elements(), isPointersOnly) : isPointer(T);
}

/// The ways in which bytes may go from one argument to the others without harm are those below this one: pointers then
/// get only where pointers are declared.
static unsigned harmlessWays(const CallBase &Call, const Use &From, const AllocaInst &Local, const DataLayout &DL) {
  unsigned Harmless = Bytes::Anywhere;
  for (const Use &To : Call.args()) {
    if (&To == &From || !To->getType()->isPointerTy())
      continue;
    const auto *Other = dyn_cast<AllocaInst>(getUnderlyingObject(To, 0));
    if (Other && isPointersOnly(Other->getAllocatedType()))
      continue;
    APInt Here(64, 0), There(64, 0);
    const bool Alike = Other && Other->getAllocatedType() == Local.getAllocatedType() &&
                       From->stripAndAccumulateConstantOffsets(DL, Here, true) == &Local &&
                       To->stripAndAccumulateConstantOffsets(DL, There, true) == Other && Here == There;
    Harmless = Alike ? std::min<unsigned>(Harmless, Bytes::ToArguments) : 0;
  }
  return Harmless;
}

/// Adds these words of a local. Those of a long row are not loaded one by one.
static void addWords(WordsReadInParts &To, AllocaInst &Local, SmallVector<int64_t, 8> Offsets, IRBuilder<> &B) {
  constexpr size_t Long = 8;
  llvm::sort(Offsets);
  for (size_t N = 0, End; N < Offsets.size(); N = End) {
    for (End = N + 1; End < Offsets.size() && Offsets[End] == Offsets[End - 1] + 8;)
      ++End;
    if (End - N >= Long)
      To.Rows.push_back({addressForWitness(B, Local, Offsets[N]), int64_t(End - N)});
    else
      for (size_t Each = N; Each < End; ++Each)
        To.Loaded.push_back(loadForWitness(B, Local, Offsets[Each]));
  }
}

WordsReadInParts wordsReadInParts(CallBase &Call, const PartsOfWords &InCaller) {
  WordsReadInParts Words;
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
    const unsigned Harmless = harmlessWays(Call, U, *Local, DL);
    auto Add = [&](int64_t Word) {
      if (Reads.touch(Word, Harmless) && Offsets.size() <= MostWords)
        Offsets.insert(Word);
    };
    for_each(InCaller.wordsWritten(*Local), Add);
    SmallVector<WordGroup, 4> Groups;
    const bool Described = isBytes(T) || appendWordGroups(T, 0, DL, Groups);
    for (const WordGroup &G : Groups)
      for (int64_t N = 0; N < G.Count && Offsets.size() <= MostWords; N += std::max<int64_t>(8 / G.Stride, 1))
        Add(G.Offset + N * G.Stride);
    if (!Described || Offsets.size() > MostWords)
      Words.Locals.push_back(Local);
    else
      addWords(Words, *Local, Offsets.takeVector(), B);
  }
  return Words;
}

} // namespace skein
