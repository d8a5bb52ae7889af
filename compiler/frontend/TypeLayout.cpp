//===- TypeLayout.cpp -------------------------------------------------------===//
//
// A type is taken apart into *leaves*, each a run of bytes with one meaning:
//
//   pointer     a pointer to memory of this process, a reference, a pointer to a virtual table, the first half of a
//   pointer
//               to a member function
//   untyped     characters, eight or more of them in a row: often the storage of something else
//   address     an integer declared as uintptr_t or intptr_t: perhaps an address
//   data        everything else that has a value; a pointer to shared memory is data, too
//
// What is left is padding. A struct's leaves are those of its bases and members. In a union members overlap, and a word
// is
//
//   a pointer   if some member has one there and every other that has anything in those bytes has a pointer there, too
//   ambiguous   if some member has a pointer there, or an address or untyped bytes, and another disagrees
//   nothing     if no member has any of these
//
// since the bytes may have been stored through any member. So a union of pointers is relocated, and one of `long` and
// `double` costs nothing.
//
// Arrays of data are one leaf, so tables cost nothing. The outermost array is not unrolled at all.
//
//===----------------------------------------------------------------------===//
#include "TypeLayout.h"
#include "abi/frame_map.h"
#include "passes/addresses/WordGroups.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace skein {
namespace {

/// More leaves than this are not worth a list.
constexpr size_t LeafLimit = 1 << 14;
constexpr int64_t WordSize = 8;

enum class LeafKind : uint8_t { Pointer, Untyped, Address, Data };

struct Leaf {
  LeafKind Kind;
  int64_t Offset;
  int64_t Size;
  int64_t end() const { return Offset + Size; }
};

using Leaves = llvm::SmallVector<Leaf, 16>;

/// Declared by a typedef that C has for integers made of pointers.
bool isAddressTypedef(QualType T) {
  while (const auto *Alias = T->getAs<TypedefType>()) {
    llvm::StringRef Name = Alias->getDecl()->getName();
    if (Name == "uintptr_t" || Name == "intptr_t" || Name == "__uintptr_t" || Name == "__intptr_t")
      return true;
    T = Alias->desugar();
  }
  return false;
}

class TypeReader {
public:
  TypeReader(const ASTContext &Context, Leaves &Found) : Context(Context), Found(Found) {}

  /// False: unknown, or too much.
  bool read(QualType T, int64_t Offset) {
    if (Found.size() > LeafLimit)
      return false;
    if (T->isReferenceType())
      return add(LeafKind::Pointer, Offset, WordSize);
    if (const auto *Atomic = T->getAs<AtomicType>())
      return read(Atomic->getValueType(), Offset);
    if (T->isDependentType() || T->isIncompleteType() || T->isVariablyModifiedType())
      return false;
    if (const ConstantArrayType *Array = Context.getAsConstantArrayType(T))
      return readArray(*Array, Offset);
    if (const auto *Record = T->getAsRecordDecl())
      return readRecord(*Record, Offset, /*Complete=*/true);
    if (T->isPointerType() || T->isBlockPointerType()) {
      bool Local = T->isBlockPointerType() || Context.getTargetAddressSpace(T->getPointeeType().getAddressSpace()) == 0;
      return add(Local ? LeafKind::Pointer : LeafKind::Data, Offset, WordSize);
    }
    if (T->isMemberFunctionPointerType())
      return add(LeafKind::Pointer, Offset, WordSize) && add(LeafKind::Data, Offset + WordSize, WordSize);
    return add(isAddressTypedef(T) ? LeafKind::Address : LeafKind::Data, Offset, sizeOf(T));
  }

private:
  int64_t sizeOf(QualType T) const { return Context.getTypeSizeInChars(T).getQuantity(); }

  bool add(LeafKind Kind, int64_t Offset, int64_t Size) {
    Found.push_back({Kind, Offset, Size});
    return true;
  }

  bool readArray(const ConstantArrayType &Array, int64_t Offset) {
    QualType Element = Array.getElementType();
    int64_t Count = Array.getZExtSize();
    if (Count == 0)
      return true;
    if (Element->isCharType() || Element->isStdByteType() || Element->isChar8Type())
      return add(Count >= WordSize ? LeafKind::Untyped : LeafKind::Data, Offset, Count);
    size_t First = Found.size();
    if (!read(Element, Offset))
      return false;
    int64_t Size = sizeOf(Element);
    // Nothing but data: one leaf for all, in a union it covers the padding too.
    if (llvm::all_of(llvm::drop_begin(Found, First), [](const Leaf &L) { return L.Kind == LeafKind::Data; })) {
      Found.truncate(First);
      return add(LeafKind::Data, Offset, Count * Size);
    }
    size_t Each = Found.size() - First;
    if (uint64_t(Each) * Count > LeafLimit)
      return false;
    for (int64_t I = 1; I < Count; ++I)
      for (size_t N = 0; N < Each; ++N) {
        Leaf L = Found[First + N];
        L.Offset += I * Size;
        Found.push_back(L);
      }
    return true;
  }

  bool readRecord(const RecordDecl &Declared, int64_t Offset, bool Complete) {
    const RecordDecl *Record = Declared.getDefinition();
    if (!Record || Record->isInvalidDecl())
      return false;
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
    if (const auto *Class = dyn_cast<CXXRecordDecl>(Record)) {
      if (Class->isDynamicClass())
        add(LeafKind::Pointer, Offset, WordSize);
      for (const CXXBaseSpecifier &Base : Class->bases())
        if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl(); !Base.isVirtual())
          if (!B || !readRecord(*B, Offset + Layout.getBaseClassOffset(B).getQuantity(), /*Complete=*/false))
            return false;
      if (Complete)
        for (const CXXBaseSpecifier &Base : Class->vbases())
          if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl();
              !B || !readRecord(*B, Offset + Layout.getVBaseClassOffset(B).getQuantity(), /*Complete=*/false))
            return false;
    }
    if (Record->isUnion())
      return readUnion(*Record, Offset);
    for (const FieldDecl *Field : Record->fields())
      if (!readField(*Field, Offset + int64_t(Layout.getFieldOffset(Field->getFieldIndex())) / 8))
        return false;
    return true;
  }

  bool readField(const FieldDecl &Field, int64_t Offset) {
    if (Field.isBitField()) {
      if (Field.isZeroLengthBitField())
        return true;
      return add(LeafKind::Data, Offset, (Field.getBitWidthValue() + 7) / 8);
    }
    QualType T = Field.getType();
    // Of another length in each object: TypeLayout::Tail.
    if (T->isIncompleteArrayType())
      return true;
    return read(T, Offset);
  }

  bool readUnion(const RecordDecl &Union, int64_t Offset) {
    llvm::SmallVector<Leaves, 4> Members;
    for (const FieldDecl *Field : Union.fields())
      if (!TypeReader(Context, Members.emplace_back()).readField(*Field, Offset))
        return false;
    for (const auto &[Me, Member] : llvm::enumerate(Members))
      for (const Leaf &L : Member)
        if (!resolve(L, Me, Members))
          return false;
    return Found.size() <= LeafLimit;
  }

  /// What becomes of one member's leaf beside the other members.
  bool resolve(Leaf L, size_t Me, llvm::ArrayRef<Leaves> Members) {
    if (L.Kind == LeafKind::Pointer) {
      for (const auto &[Other, Member] : llvm::enumerate(Members))
        for (const Leaf &Beside : Member) {
          if (Other == Me || Beside.end() <= L.Offset || L.end() <= Beside.Offset)
            continue;
          bool Same = Beside.Kind == LeafKind::Pointer && Beside.Offset == L.Offset;
          if (Same && Other < Me)
            return true; // it stands there already
          if (!Same)
            L.Kind = LeafKind::Address;
        }
    }
    Found.push_back(L);
    return Found.size() <= 4 * LeafLimit;
  }

  const ASTContext &Context;
  Leaves &Found;
};

/// Leaves as words. A word that any leaf calls ambiguous is; data is dropped.
void appendWords(const Leaves &Found, llvm::SmallVectorImpl<WordGroup> &Groups) {
  std::map<int64_t, unsigned> Words;
  for (const Leaf &L : Found) {
    if (L.Kind == LeafKind::Data || L.Size < WordSize)
      continue;
    if (L.Kind == LeafKind::Pointer) {
      Words.try_emplace(L.Offset, SKEIN_LOCAL_POINTER);
      continue;
    }
    // Whatever hides in characters is aligned; an integer lies where it lies.
    int64_t First = L.Kind == LeafKind::Untyped ? int64_t(llvm::alignTo(L.Offset, WordSize)) : L.Offset;
    for (int64_t Word = First; Word + WordSize <= L.end(); Word += WordSize)
      Words[Word] = SKEIN_LOCAL_AMBIGUOUS;
  }
  appendGrouped(Words, Groups);
}

/// The flexible array at the end of a record, or at the end of its last member.
const FieldDecl *flexibleArrayOf(const ASTContext &Context, const RecordDecl &Record, int64_t &Offset) {
  if (Record.isUnion() || Record.field_empty())
    return nullptr;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Record);
  const FieldDecl *Last = nullptr;
  for (const FieldDecl *Field : Record.fields())
    Last = Field;
  Offset += int64_t(Layout.getFieldOffset(Last->getFieldIndex())) / 8;
  QualType T = Last->getType();
  const ConstantArrayType *Array = Context.getAsConstantArrayType(T);
  if (T->isIncompleteArrayType() || (Array && Array->isZeroSize()))
    return Last;
  if (const RecordDecl *Inner = T->getAsRecordDecl(); Inner && Inner->getDefinition())
    return flexibleArrayOf(Context, *Inner->getDefinition(), Offset);
  return nullptr;
}

} // namespace

std::optional<TypeLayout> layoutOf(const ASTContext &Context, QualType T) {
  if (T.isNull() || T->isDependentType() || T->isFunctionType() || T->isVoidType())
    return std::nullopt;
  // An array as its element, many times.
  int64_t Count = 1;
  while (const ConstantArrayType *Array = Context.getAsConstantArrayType(T)) {
    if (Array->getElementType()->isCharType())
      break;
    Count *= Array->getZExtSize();
    T = Array->getElementType();
  }
  if (T->isIncompleteType() || T->isVariablyModifiedType())
    return std::nullopt;
  TypeLayout Layout;
  Leaves Found;
  if (!TypeReader(Context, Found).read(T, 0))
    return std::nullopt;
  llvm::SmallVector<WordGroup, 4> One;
  appendWords(Found, One);
  int64_t Size = Context.getTypeSizeInChars(T).getQuantity();
  if (!appendRepeated(One, Size, 0, Count, Layout.Groups))
    return std::nullopt;
  Layout.Size = Size * Count;
  if (const RecordDecl *Record = T->getAsRecordDecl(); Record && Count == 1) {
    int64_t Offset = 0;
    if (const FieldDecl *Field = flexibleArrayOf(Context, *Record->getDefinition(), Offset)) {
      QualType Element = Context.getAsArrayType(Field->getType())->getElementType();
      std::optional<TypeLayout> Each = layoutOf(Context, Element);
      if (!Each || Each->TailSize)
        return std::nullopt;
      Layout.TailOffset = Offset;
      Layout.TailSize = Each->Size;
      Layout.Tail.assign(Each->Groups.begin(), Each->Groups.end());
      if (Element->isCharType()) { // bytes: a word at a time
        Layout.TailSize = WordSize;
        Layout.Tail.assign(1, {SKEIN_LOCAL_AMBIGUOUS, 0, WordSize, 1});
      }
    }
  }
  return Layout;
}

} // namespace skein
