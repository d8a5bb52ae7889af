//===- FrameMapBuilder.cpp - A function map as data, and as bytes ----------===//
#include "FrameMapBuilder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

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

unsigned FrameMapBuilder::specialOf(const skein_special_map &Special) {
  const auto Same = [&](const skein_special_map &S) { return !memcmp(&S, &Special, sizeof S); };
  const auto Found = find_if(Specials, Same);
  const auto Number = unsigned(Found - Specials.begin());
  if (Found == Specials.end())
    Specials.push_back(Special);
  return Number;
}

void FrameMapBuilder::addSite(Site S) {
  if (!isUInt<16>(Sites.size() + 1) || !isUInt<16>(Rows.size() + Specials.size() + 2))
    return; // without a record a thread stays here
  PlacedSite Placed{S.Return, S.Line, false, 0};
  skein_special_map Special{};
  if (S.Pin) {
    const bool Fits = isUInt<16>(S.Arguments);
    Special.pin = uint16_t(Fits ? S.Pin : unsigned(SKEIN_PIN_FRAME));
    Special.arguments = uint16_t(Fits ? S.Arguments : 0);
  } else {
    sort(S.Locals);
    Row Live(S.Locals.begin(), S.Locals.end());
    Live.erase(llvm::unique(Live), Live.end());
    Placed.Number = Rows.try_emplace(std::move(Live), unsigned(Rows.size())).first->second;
    Special.row = uint16_t(Placed.Number);
    Special.va_pointers = uint16_t(S.VaPointers);
  }
  Placed.Special = S.Pin || S.VaPointers;
  if (Placed.Special)
    Placed.Number = specialOf(Special);
  Sites.push_back(Placed);
}

static bool isShort(const skein_local_map &L) {
  return L.kind <= SKEIN_LOCAL_AMBIGUOUS && L.stride == 8 && isUInt<8>(L.count) && L.count != 0 && L.offset % 8 == 0 &&
         isInt<16>(L.offset / 8);
}

/// What follows the return offsets, but for the special_maps.
std::string FrameMapBuilder::tables(bool Large) const {
  std::string Text;
  raw_string_ostream Out(Text);
  support::endian::Writer Writer(Out, endianness::little);
  for (const PlacedSite &S : Sites) {
    const unsigned Row = S.Special ? Rows.size() + S.Number : S.Number;
    if (Large)
      Writer.write<uint16_t>(uint16_t(Row));
    else
      Writer.write<uint8_t>(uint8_t(Row));
  }
  // Long locals come behind the short ones.
  std::vector<unsigned> Bit(Locals.size());
  unsigned Next = 0;
  for (bool Short : {true, false})
    for (unsigned I = 0; I < Locals.size(); ++I)
      if (isShort(Locals[I]) == Short)
        Bit[I] = Next++;
  const size_t RowBytes = divideCeil(Locals.size(), 8);
  std::string Bits(Rows.size() * RowBytes, '\0');
  for (const auto &[Live, Number] : Rows)
    for (uint16_t Local : Live)
      Bits[Number * RowBytes + Bit[Local] / 8] |= char(1 << Bit[Local] % 8);
  Out << Bits;
  int64_t Line = 0;
  for (const PlacedSite &S : Sites) {
    const int64_t Step = int64_t(S.Line) - Line;
    encodeULEB128(uint32_t(Step < 0 ? -2 * Step - 1 : 2 * Step), Out);
    Line = S.Line;
  }
  return Text;
}

namespace {

/// The bytes of a map: numbers, and differences that the assembler or the linker computes.
class Bytes {
public:
  explicit Bytes(Module &M) : M(M), C(M.getContext()) {}

  void u8(uint64_t V) { number(V, 8); }
  void u16(uint64_t V) { number(V, 16); }
  void u32(uint64_t V) { number(V, 32); }

  void text(StringRef Text) {
    if (Text.empty())
      return;
    Fields.push_back(ConstantDataArray::getString(C, Text, /*AddNull=*/false));
    Size += Text.size();
  }

  /// The difference To - From of two labels in the same section.
  void difference(const MCSymbol &To, const MCSymbol &From, unsigned Bits = 32) {
    Fields.push_back(truncated(ConstantExpr::getSub(label(To), label(From)), Bits));
    Size += Bits / 8;
  }
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
    Map->setAlignment(Align(4));
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
  Constant *truncated(Constant *Wide, unsigned Bits = 32) {
    return ConstantExpr::getTrunc(Wide, Type::getIntNTy(C, Bits));
  }
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
  const bool Large = LargeCode || !isUInt<8>(Rows.size() + Specials.size());
  const std::string Tables = tables(Large);
  const auto Shorts = unsigned(count_if(Locals, isShort)), Longs = unsigned(Locals.size()) - Shorts;
  const size_t Used = sizeof(skein_function_map) + Longs * sizeof(skein_local_map) +
                      Shorts * sizeof(skein_short_local_map) + Sites.size() * (Large ? 4 : 2) +
                      Specials.size() * sizeof(skein_special_map) + Tables.size();
  const auto Total = unsigned(alignTo<4>(Used));

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
  for (uint8_t Saved : Header.saved)
    B.u8(Saved);
  B.u16(Shorts);
  B.u16(Longs);
  B.u16(Sites.size());
  const bool Blocks = any_of(Locals, [](const skein_local_map &L) {
    return L.kind == SKEIN_LOCAL_DYNAMIC_POINTER || L.kind == SKEIN_LOCAL_DYNAMIC_AMBIGUOUS;
  });
  B.u8(Header.flags | (Large ? SKEIN_MAP_LARGE : 0) | (Blocks ? SKEIN_MAP_BLOCKS : 0));
  B.u8(SKEIN_ABI_VERSION);
  B.u8(Header.alignment_log2);
  B.u8(Header.zero);
  B.u16(Rows.size());
  B.u16(Specials.size());
  assert(B.size() == sizeof(skein_function_map) && "the header and its format disagree");
  for (const skein_local_map &L : Locals)
    if (!isShort(L)) {
      B.u32(uint32_t(L.offset));
      B.u32(L.count);
      B.u16(L.stride);
      B.u8(L.kind);
      B.u8(L.base);
    }
  for (const skein_local_map &L : Locals)
    if (isShort(L)) {
      B.u16(uint16_t(L.offset / 8));
      B.u8(L.count);
      B.u8(unsigned(L.kind) | unsigned(L.base) << SKEIN_SHORT_BASE_SHIFT);
    }
  for (const PlacedSite &S : Sites)
    B.difference(*S.Return, Entry, Large ? 32 : 16);
  for (const skein_special_map &S : Specials) {
    B.u16(S.pin);
    B.u16(S.arguments);
    B.u16(S.row);
    B.u16(S.va_pointers);
  }
  B.text(Tables);
  while (B.size() < Total)
    B.u8(0);
  return B.finish(F);
}

} // namespace skein
