//===- TypeLayout.cpp -------------------------------------------------------===//
//
// A word of a type is one of these:
//
//   pointer     a pointer to memory of this process, a reference, a pointer to a virtual table, the first half of a
//               pointer to a member function
//   ambiguous   one of eight or more characters in a row, which are often storage for something else; an integer
//               declared as uintptr_t or intptr_t; a word of a union whose members say different things about it
//   data        anything else, also a pointer to shared memory
//
// A structure has the words of its bases and members. In a union members overlap, and the bytes of a word may have been
// stored through any of them. So a word that is a pointer in some member is a pointer if all members that reach it have
// one there, and ambiguous if not. A union of pointers is therefore relocated, and one of `long` and `double` costs
// nothing.
//
// The words of an array are groups of those of its element, so a long table is as short as its element.
//
//===----------------------------------------------------------------------===//
#include "TypeLayout.h"
#include "abi/frame_map.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include <set>
#include <vector>

using namespace clang;

namespace skein {
namespace {

constexpr int64_t WordBytes = 8;
/// A type with more groups than this is given up, and so is a union with a member that has more pointers.
constexpr size_t GroupsMax = 1024;

using Groups = llvm::SmallVectorImpl<WordGroup>;

/// Whether the type is declared by one of the typedefs that C has for integers made of pointers.
bool isAddressTypedef(QualType T) {
  while (const auto *Alias = T->getAs<TypedefType>()) {
    llvm::StringRef Name = Alias->getDecl()->getName();
    if (Name == "uintptr_t" || Name == "intptr_t" || Name == "__uintptr_t" || Name == "__intptr_t")
      return true;
    T = Alias->desugar();
  }
  return false;
}

/// The type of the element that a node of libstdc++ keeps in a buffer of bytes; null if `Record` is no such buffer.
QualType contentOfBuffer(const RecordDecl &Record) {
  const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(&Record);
  const IdentifierInfo *Name = Record.getIdentifier();
  if (!Class || !Name || (Name->getName() != "__aligned_membuf" && Name->getName() != "__aligned_buffer") ||
      Class->getTemplateArgs().size() < 1 || Class->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return QualType();
  return Class->getTemplateArgs()[0].getAsType();
}

class TypeReader {
public:
  TypeReader(const ASTContext &Context, WordsOf Which, Groups &To) : Context(Context), Which(Which), To(To) {}

  bool read(QualType T, int64_t Offset) {
    if (const auto *Atomic = T->getAs<AtomicType>())
      return read(Atomic->getValueType(), Offset);
    if (const ConstantArrayType *Array = Context.getAsConstantArrayType(T))
      return readArray(*Array, Offset);
    if (const auto *Record = T->getAsRecordDecl())
      return readRecord(*Record, Offset);
    bool Pointer = T->isNullPtrType() || T->isReferenceType() || T->isMemberFunctionPointerType();
    if (const auto *P = T->getAs<PointerType>())
      Pointer = P->getPointeeType().getAddressSpace() == LangAS::Default;
    if (Pointer || isAddressTypedef(T))
      return add({unsigned(Pointer ? SKEIN_LOCAL_POINTER : SKEIN_LOCAL_AMBIGUOUS), Offset, WordBytes, 1});
    return true;
  }

private:
  bool add(const WordGroup &Group) {
    if (Which == WordsOf::All || Group.Kind == SKEIN_LOCAL_POINTER)
      To.push_back(Group);
    return To.size() <= GroupsMax;
  }
  int64_t sizeOf(QualType T) const { return Context.getTypeSizeInChars(T).getQuantity(); }

  bool readArray(const ConstantArrayType &Array, int64_t Offset) {
    QualType Element = Array.getElementType();
    if (Array.getSize().getActiveBits() > 32)
      return false;
    const int64_t Count = Array.getSize().getZExtValue(), Bytes = sizeOf(Element);
    if (Element->isCharType() || Element->isStdByteType() || Element->isChar8Type()) {
      // An object that is kept in characters is aligned, so only whole words count.
      const int64_t First = llvm::alignTo(Offset, WordBytes), Words = (Offset + Count - First) / WordBytes;
      return Count < WordBytes || Words <= 0 || add({SKEIN_LOCAL_AMBIGUOUS, First, WordBytes, Words});
    }
    llvm::SmallVector<WordGroup, 8> One;
    if (!TypeReader(Context, Which, One).read(Element, 0))
      return false;
    if (Count == 0)
      return true;
    for (const WordGroup &G : One) {
      if (G.Count == 1 || G.Count * G.Stride == Bytes) {
        add({G.Kind, Offset + G.Offset, G.Count == 1 ? Bytes : G.Stride, G.Count * Count});
        continue;
      }
      if (To.size() + std::min(G.Count, Count) > GroupsMax)
        return false;
      if (G.Count < Count)
        for (int64_t I = 0; I < G.Count; ++I)
          add({G.Kind, Offset + G.Offset + I * G.Stride, Bytes, Count});
      else
        for (int64_t I = 0; I < Count; ++I)
          add({G.Kind, Offset + G.Offset + I * Bytes, G.Stride, G.Count});
    }
    return To.size() <= GroupsMax;
  }

  bool readRecord(const RecordDecl &Declared, int64_t Offset) {
    const RecordDecl *Record = Declared.getDefinition();
    if (QualType Content = Record ? contentOfBuffer(*Record) : QualType(); !Content.isNull())
      return read(Content, Offset);
    if (!Record || Record->isInvalidDecl() || Record->isDependentType())
      return true;
    return Record->isUnion() ? readUnion(*Record, Offset) : readMembers(*Record, Offset, /*Complete=*/true);
  }

  /// Reads the virtual table pointer, the bases and the members. Virtual bases are read only for a complete object.
  bool readMembers(const RecordDecl &Record, int64_t Offset, bool Complete) {
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Record);
    if (const auto *Class = dyn_cast<CXXRecordDecl>(&Record)) {
      if (Layout.hasOwnVFPtr() || (Class->isDynamicClass() && !Layout.getPrimaryBase()))
        add({SKEIN_LOCAL_POINTER, Offset, WordBytes, 1});
      for (const CXXBaseSpecifier &Base : Class->bases())
        if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl(); B && !Base.isVirtual())
          if (!readMembers(*B, Offset + Layout.getBaseClassOffset(B).getQuantity(), /*Complete=*/false))
            return false;
      for (const CXXBaseSpecifier &Base : Class->vbases())
        if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl(); B && Complete)
          if (!readMembers(*B, Offset + Layout.getVBaseClassOffset(B).getQuantity(), /*Complete=*/false))
            return false;
    }
    for (const FieldDecl *Field : Record.fields())
      if (!Field->isBitField() &&
          !read(Field->getType(), Offset + int64_t(Layout.getFieldOffset(Field->getFieldIndex()) / 8)))
        return false;
    return true;
  }

  bool readUnion(const RecordDecl &Union, int64_t Offset) {
    struct Member {
      int64_t Bytes;
      std::set<int64_t> Pointers;
    };
    std::vector<Member> Members;
    std::set<int64_t> All;
    for (const FieldDecl *Field : Union.fields()) {
      llvm::SmallVector<WordGroup, 8> Inside;
      if (!TypeReader(Context, Which, Inside).read(Field->getType(), 0))
        return false;
      Member M{sizeOf(Field->getType()), {}};
      for (const WordGroup &G : Inside) {
        if (G.Kind != SKEIN_LOCAL_POINTER) {
          add({G.Kind, Offset + G.Offset, G.Stride, G.Count});
          continue;
        }
        if (G.Count > int64_t(GroupsMax))
          return false;
        for (int64_t I = 0; I < G.Count; ++I)
          M.Pointers.insert(G.Offset + I * G.Stride);
      }
      All.insert(M.Pointers.begin(), M.Pointers.end());
      Members.push_back(std::move(M));
    }
    for (int64_t Word : All) {
      bool Agreed =
          llvm::all_of(Members, [&](const Member &M) { return Word >= M.Bytes || M.Pointers.contains(Word); });
      add({unsigned(Agreed ? SKEIN_LOCAL_POINTER : SKEIN_LOCAL_AMBIGUOUS), Offset + Word, WordBytes, 1});
    }
    return To.size() <= GroupsMax;
  }

  const ASTContext &Context;
  const WordsOf Which;
  Groups &To;
};

} // namespace

bool appendWordsOf(const ASTContext &Context, QualType T, WordsOf Which, Groups &To) {
  return TypeReader(Context, Which, To).read(T, 0);
}

const FieldDecl *lastMember(const RecordDecl &Record) {
  const FieldDecl *Last = nullptr;
  if (!Record.isUnion())
    for (const FieldDecl *Field : Record.fields())
      Last = Field;
  return Last;
}

bool isShortArray(const ASTContext &Context, const FieldDecl &Member, uint64_t Longest) {
  const ConstantArrayType *Array = Context.getAsConstantArrayType(Member.getType());
  return Member.getType()->isIncompleteArrayType() || (Array && Array->getSize().ule(Longest));
}

} // namespace skein
