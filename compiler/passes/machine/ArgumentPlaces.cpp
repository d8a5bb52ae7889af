//===- ArgumentPlaces.cpp ----------------------------------------------------===//
#include "ArgumentPlaces.h"
#include "MachineAddresses.h"
#include "passes/addresses/AddressIntegers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace skein {

namespace {

constexpr unsigned IntegerRegisters = 6, VectorRegisters = 8;
/// An array that is passed as more parts than this is given up.
constexpr uint64_t MostElements = 64;

/// How wide the registers for vectors are. AVX-512 code may prefer, by attributes of the function, to use the lower
/// halves of its registers. Then it is not known here what happens to a vector of 512 bits.
struct VectorWidth {
  int64_t Bytes = 16;
  bool WideUnknown = false;
};

class Assignment {
public:
  Assignment(const DataLayout &DL, VectorWidth Width, bool Variadic) : DL(DL), Width(Width), Variadic(Variadic) {}

  /// Adds an argument that is passed as a value.
  void add(unsigned Argument, Type *T) {
    Now = Argument;
    addParts(T);
  }

  void addByValue(unsigned Argument, Type *T, Align Alignment) {
    Now = Argument;
    inMemory(T, DL.getTypeAllocSize(T).getFixedValue(), std::max(Align(8), Alignment), /*First=*/true,
             /*ByValue=*/true);
  }

  void addChain(unsigned Argument, Type *T) {
    Found.Parts.push_back({ArgumentPart::Chain, Argument, 0, 0, 8, T, false, true});
  }

  void giveUp() { Found.Known = false; }

  ArgumentPlaces finish() {
    Found.MemoryBytes = Memory;
    return std::move(Found);
  }

private:
  void addParts(Type *T) {
    if (auto *Struct = dyn_cast<StructType>(T)) {
      for (Type *Member : Struct->elements())
        addParts(Member);
    } else if (auto *Array = dyn_cast<ArrayType>(T)) {
      if (Array->getNumElements() > MostElements)
        return giveUp();
      for (uint64_t I = 0; I < Array->getNumElements(); ++I)
        addParts(Array->getElementType());
    } else if (auto *Vector = dyn_cast<VectorType>(T)) {
      addVector(*Vector);
    } else if (T->isPointerTy() || T->isIntegerTy()) {
      addInteger(T);
    } else if (T->isFloatTy() || T->isDoubleTy() || T->isHalfTy() || T->isBFloatTy()) {
      inVectorRegister(T, 8, /*First=*/true);
    } else if (T->isFP128Ty()) {
      inVectorRegister(T, 16, /*First=*/true);
    } else if (T->isX86_FP80Ty()) {
      inMemory(T, 16, Align(16), /*First=*/true);
    } else {
      giveUp();
    }
  }

  void addInteger(Type *T) {
    const uint64_t Words = T->isPointerTy() ? 1 : divideCeil(T->getIntegerBitWidth(), 64);
    const bool Together = T->isIntegerTy(128) && Integers + 2 > IntegerRegisters;
    for (uint64_t Word = 0; Word < Words; ++Word)
      if (!Together && Integers < IntegerRegisters)
        Found.Parts.push_back({ArgumentPart::Integer, Now, Integers++, 0, 8, T, false, Word == 0});
      else
        inMemory(T, 8, Align(Together && Word == 0 ? 16 : 8), Word == 0);
  }

  void addVector(VectorType &T) {
    auto *Fixed = dyn_cast<FixedVectorType>(&T);
    if (!Fixed)
      return giveUp();
    Type *Element = Fixed->getElementType();
    const uint64_t Count = Fixed->getNumElements();
    if (Count == 1)
      return addParts(Element);
    const uint64_t Bits = DL.getTypeSizeInBits(Element).getFixedValue();
    // A shorter vector is widened until it fills a register.
    const int64_t Bytes = std::max<int64_t>(16, int64_t(PowerOf2Ceil(Count) * Bits / 8));
    const bool Plain = Element->isPointerTy() || Element->isFloatTy() || Element->isDoubleTy() ||
                       (Element->isIntegerTy() && (Bits == 8 || Bits == 16 || Bits == 32 || Bits == 64));
    if (!Plain && !(Element->isHalfTy() && Bytes == 16))
      return giveUp();
    if (Bytes > 16 && (!isPowerOf2_64(Count) || (Bytes > 32 && Width.WideUnknown)))
      return giveUp();
    const int64_t Each = std::min(Bytes, Width.Bytes);
    for (int64_t At = 0; At < Bytes; At += Each)
      inVectorRegister(&T, Each, At == 0);
  }

  void inVectorRegister(Type *T, int64_t Bytes, bool First) {
    if (Vectors < VectorRegisters && (Bytes <= 16 || !Variadic))
      Found.Parts.push_back({ArgumentPart::Vector, Now, Vectors++, 0, Bytes, T, false, First});
    else
      inMemory(T, Bytes, Align(Bytes), First);
  }

  void inMemory(Type *T, int64_t Bytes, Align Alignment, bool First, bool ByValue = false) {
    Memory = int64_t(alignTo(uint64_t(Memory), Alignment));
    Found.Parts.push_back({ArgumentPart::Memory, Now, 0, Memory, Bytes, T, ByValue, First});
    Memory += int64_t(alignTo<8>(uint64_t(Bytes)));
  }

  const DataLayout &DL;
  const VectorWidth Width;
  const bool Variadic;
  ArgumentPlaces Found;
  unsigned Now = 0, Integers = 0, Vectors = 0;
  int64_t Memory = 0;
};

bool isConventionOfC(CallingConv::ID C) {
  return C == CallingConv::C || C == CallingConv::Fast || C == CallingConv::Cold || C == CallingConv::PreserveMost ||
         C == CallingConv::X86_64_SysV;
}

VectorWidth widthWith(const Function &F, bool AVX, bool AVX512) {
  if (!AVX512)
    return {AVX ? 32 : 16, false};
  // If the attribute is absent, any width may be needed.
  unsigned Least = UINT_MAX;
  if (Attribute A = F.getFnAttribute("min-legal-vector-width"); A.isStringAttribute())
    A.getValueAsString().getAsInteger(0, Least);
  return {Least >= 512 ? 64 : 32, Least < 512};
}

/// `Of` is a function or a call: both have attributes of parameters.
template <typename List>
ArgumentPlaces assign(const List &Of, unsigned Count, CallingConv::ID Convention, bool Variadic, const Function &In,
                      VectorWidth Width, function_ref<Type *(unsigned)> TypeOf) {
  const DataLayout &DL = In.getDataLayout();
  Assignment A(DL, Width, Variadic);
  if (!isConventionOfC(Convention) || In.hasFnAttribute("use-soft-float"))
    A.giveUp();
  for (unsigned N = 0; N < Count; ++N) {
    const AttributeSet Attributes = Of.getAttributes().getParamAttrs(N);
    if (Attributes.hasAttribute(Attribute::InReg) || Attributes.hasAttribute(Attribute::InAlloca) ||
        Attributes.hasAttribute(Attribute::Preallocated) || Attributes.hasAttribute(Attribute::SwiftSelf) ||
        Attributes.hasAttribute(Attribute::SwiftError) || Attributes.hasAttribute(Attribute::SwiftAsync))
      A.giveUp();
    if (Attributes.hasAttribute(Attribute::Nest)) {
      A.addChain(N, TypeOf(N));
    } else if (Type *Passed = Attributes.getByValType()) {
      MaybeAlign Said = Attributes.getStackAlignment() ? Attributes.getStackAlignment() : Attributes.getAlignment();
      A.addByValue(N, Passed, Said ? *Said : DL.getABITypeAlign(Passed));
    } else {
      A.add(N, TypeOf(N));
    }
  }
  return A.finish();
}

} // namespace

ArgumentPlaces argumentPlaces(const MachineFunction &Function) {
  const llvm::Function &F = Function.getFunction();
  const TargetSubtargetInfo &Target = Function.getSubtarget();
  return assign(F, unsigned(F.arg_size()), F.getCallingConv(), F.isVarArg(), F,
                widthWith(F, Target.checkFeatures("+avx"), Target.checkFeatures("+avx512f")),
                [&](unsigned N) { return F.getArg(N)->getType(); });
}

ArgumentPlaces argumentPlaces(const CallBase &Call) {
  const Function &F = *Call.getFunction();
  const StringRef Features = F.getFnAttribute("target-features").getValueAsString();
  auto Has = [&](StringRef Feature) { return is_contained(split(Features, ','), Feature); };
  return assign(Call, Call.arg_size(), Call.getCallingConv(), Call.getFunctionType()->isVarArg(), F,
                widthWith(F, Has("+avx"), Has("+avx512f")),
                [&](unsigned N) { return Call.getArgOperand(N)->getType(); });
}

SmallVector<MCRegister, 8> pointerArgumentRegisters(const MachineFunction &Function, bool *Exact) {
  const MachineRegisters &R = MachineRegisters::of(Function);
  const llvm::Function &F = Function.getFunction();
  const ArgumentPlaces Places = argumentPlaces(Function);
  SmallVector<MCRegister, 8> Pointers;
  if (Exact)
    *Exact = Places.Known;
  if (!Places.Known) {
    Pointers.append(std::begin(R.IntegerArguments), std::end(R.IntegerArguments));
    Pointers.append(std::begin(R.VectorArguments), std::end(R.VectorArguments));
    Pointers.push_back(R.R10);
    return Pointers;
  }
  for (const ArgumentPart &Part : Places.Parts) {
    const Type *Scalar = Part.Of->getScalarType();
    const bool Pointer = Scalar->isPointerTy() && Scalar->getPointerAddressSpace() == 0;
    if (Part.In == ArgumentPart::Chain)
      Pointers.push_back(R.R10);
    else if (!Pointer && !isDeclaredAddress(F.getArg(Part.Argument)))
      continue;
    else if (Part.In == ArgumentPart::Integer)
      Pointers.push_back(R.IntegerArguments[Part.Register]);
    else if (Part.In == ArgumentPart::Vector)
      Pointers.push_back(R.VectorArguments[Part.Register]);
  }
  return Pointers;
}

} // namespace skein
