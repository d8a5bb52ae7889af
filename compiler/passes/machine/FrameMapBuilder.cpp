//===- FrameMapBuilder.cpp - A function map as data, and as bytes ----------===//
#include "FrameMapBuilder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSymbol.h"
#include <algorithm>
#include <limits>

using namespace llvm;

namespace skein {

std::optional<uint16_t> FrameMapBuilder::addLocal(int64_t Offset, uint64_t Count, uint64_t Stride, unsigned Kind,
                                                  unsigned Base) {
  auto Key = std::tuple(Offset, Count, Stride, Kind, Base);
  if (auto Found = LocalIndex.find(Key); Found != LocalIndex.end())
    return Found->second;
  if (!isInt<32>(Offset) || !isUInt<32>(Count) || !isUInt<16>(Stride) || !isUInt<16>(Locals.size() + 1))
    return std::nullopt;
  auto Index = uint16_t(Locals.size());
  Locals.push_back({int32_t(Offset), uint32_t(Count), uint16_t(Stride), uint8_t(Kind), uint8_t(Base)});
  LocalIndex.emplace(Key, Index);
  return Index;
}

void FrameMapBuilder::addSite(Site S) {
  if (!isUInt<16>(Sites.size() + 1))
    return; // without a record a thread stays here
  skein_site_map Fields{};
  Fields.line = S.Line;
  if (!S.Pin) {
    // A run of indices that is already somewhere in the table is not written again.
    sort(S.Locals);
    auto [Run, New] = Runs.try_emplace({S.Locals.begin(), S.Locals.end()}, 0);
    if (New)
      Run->second =
          size_t(std::search(Indices.begin(), Indices.end(), S.Locals.begin(), S.Locals.end()) - Indices.begin());
    const size_t First = Run->second;
    if (!isUInt<16>(First) || !isUInt<16>(S.Locals.size())) {
      S.Pin = SKEIN_PIN_TOO_LARGE;
    } else {
      if (First == Indices.size())
        Indices.insert(Indices.end(), S.Locals.begin(), S.Locals.end());
      Fields.first = uint16_t(First);
      Fields.count = uint16_t(S.Locals.size());
      Fields.va_pointers = uint8_t(S.VaPointers);
    }
  }
  if (S.Pin) {
    Fields.flags = SKEIN_SITE_PINNED;
    Fields.first = uint16_t(isUInt<16>(S.Arguments) ? S.Pin : unsigned(SKEIN_PIN_FRAME));
    Fields.count = uint16_t(isUInt<16>(S.Arguments) ? S.Arguments : 0);
  }
  Sites.push_back({S.Return, Fields});
}

namespace {

/// The bytes of a map: numbers, and differences that the assembler or the linker computes.
class Bytes {
public:
  explicit Bytes(Module &M) : M(M), C(M.getContext()) {}

  void u8(uint64_t V) { number(V, 8); }
  void u16(uint64_t V) { number(V, 16); }
  void u32(uint64_t V) { number(V, 32); }

  /// The difference To - From of two labels in the same section.
  void difference(const MCSymbol &To, const MCSymbol &From) { add(ConstantExpr::getSub(label(To), label(From))); }
  /// The difference To - address of this field. The address of the field is known once the global exists.
  void relative(Constant *To) {
    Relative.push_back({Fields.size(), Size, To});
    u32(0);
  }
  void relative(const MCSymbol &To) { relative(label(To)); }

  unsigned size() const { return Size; }

  GlobalVariable &finish(Function &F) {
    StructType *Type = StructType::get(C, types(), /*isPacked=*/true);
    // The assembler reads the name (FrameMapEmission), so it may have no character that needs quotes.
    bool Plain = all_of(F.getName(), [](char C) { return isAlnum(C) || C == '_' || C == '.'; });
    auto *Map = new GlobalVariable(M, Type, /*isConstant=*/true, GlobalValue::PrivateLinkage, nullptr,
                                   Plain ? ("skein.map." + F.getName()).str() : std::string("skein.map"));
    for (auto &[Field, Offset, To] : Relative) {
      Constant *Where =
          ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(C), Map, ConstantInt::get(Int64, Offset));
      Constant *Here = ConstantExpr::getPtrToInt(Where, Int64);
      Fields[Field] = truncated(ConstantExpr::getSub(To, Here));
    }
    Map->setInitializer(ConstantStruct::get(Type, Fields));
    Map->setSection(SKEIN_MAPS_SECTION);
    Map->setAlignment(Align(8));
    Map->setComdat(F.getComdat());
    Map->setMetadata(LLVMContext::MD_associated, MDNode::get(C, ValueAsMetadata::get(&F)));
    return *Map;
  }

private:
  struct RelativeField {
    size_t Field;
    unsigned Offset;
    Constant *To;
  };

  void number(uint64_t V, unsigned Bits) {
    Fields.push_back(ConstantInt::get(Type::getIntNTy(C, Bits), V & maskTrailingOnes<uint64_t>(Bits)));
    Size += Bits / 8;
  }
  void add(Constant *Wide) {
    Fields.push_back(truncated(Wide));
    Size += 4;
  }
  Constant *truncated(Constant *Wide) { return ConstantExpr::getTrunc(Wide, Type::getInt32Ty(C)); }
  SmallVector<Type *, 64> types() const {
    SmallVector<Type *, 64> Types;
    for (Constant *Field : Fields)
      Types.push_back(Field->getType());
    return Types;
  }
  /// A label of the code, as a declared global of exactly that name ("\01": it is not mangled).
  Constant *label(const MCSymbol &Symbol) {
    auto *Global = cast<GlobalVariable>(M.getOrInsertGlobal(("\01" + Symbol.getName()).str(), Type::getInt8Ty(C)));
    Global->setDSOLocal(true); // so that the section can be read-only
    return ConstantExpr::getPtrToInt(Global, Int64);
  }

  Module &M;
  LLVMContext &C;
  Type *Int64 = Type::getInt64Ty(C);
  std::vector<Constant *> Fields;
  std::vector<RelativeField> Relative;
  unsigned Size = 0;
};

} // namespace

/// The address of a NUL-terminated string. There is one for each text in a module, and the linker shares it between
/// modules.
static Constant *stringAddress(Module &M, StringRef Text) {
  std::string Name = ("skein.text." + Text).str();
  GlobalVariable *String = M.getGlobalVariable(Name, /*AllowInternal=*/true);
  if (!String) {
    Constant *Data = ConstantDataArray::getString(M.getContext(), Text);
    String = new GlobalVariable(M, Data->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, Data, Name);
    String->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    String->setAlignment(Align(1));
  }
  return ConstantExpr::getPtrToInt(String, Type::getInt64Ty(M.getContext()));
}

GlobalVariable &FrameMapBuilder::emit(Function &F, const MCSymbol &Entry, const MCSymbol &End) const {
  Module &M = *F.getParent();
  unsigned Tables = sizeof(skein_local_map) * Locals.size() + sizeof(skein_site_map) * Sites.size();
  unsigned Used = sizeof(skein_function_map) + Tables + sizeof(uint16_t) * Indices.size();
  unsigned Total = alignTo<8>(Used);

  Bytes B(M);
  B.relative(Entry);
  B.u32(Total);
  B.difference(End, Entry);
  B.u32(Header.frame_size);
  B.relative(stringAddress(M, Name));
  if (File.empty())
    B.u32(0);
  else
    B.relative(stringAddress(M, File));
  for (int16_t Saved : Header.saved)
    B.u16(uint16_t(Saved));
  B.u8(Header.flags);
  B.u8(SKEIN_ABI_VERSION);
  B.u8(Header.alignment_log2);
  B.u8(Header.va_save_base);
  B.u32(uint32_t(Header.va_save_offset));
  B.u16(Locals.size());
  B.u16(Sites.size());
  B.u32(Indices.size());
  assert(B.size() == sizeof(skein_function_map) && "the header and its format disagree");
  for (const skein_local_map &L : Locals) {
    B.u32(uint32_t(L.offset));
    B.u32(L.count);
    B.u16(L.stride);
    B.u8(L.kind);
    B.u8(L.base);
  }
  for (const PlacedSite &S : Sites) {
    B.difference(*S.Return, Entry);
    B.u32(S.Fields.line);
    B.u16(S.Fields.first);
    B.u16(S.Fields.count);
    B.u8(S.Fields.flags);
    B.u8(S.Fields.va_pointers);
    B.u16(S.Fields.zero);
  }
  for (uint16_t Index : Indices)
    B.u16(Index);
  while (B.size() < Total)
    B.u16(0);
  return B.finish(F);
}

} // namespace skein
