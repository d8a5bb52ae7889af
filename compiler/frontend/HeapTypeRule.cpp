//===- HeapTypeRule.cpp - What type an allocation has -----------------------===//
//
// The private heap wants to know where the pointers of each block are. C says it around the call:
//
//     struct node *n = malloc(size);           converted to another pointer type
//     void *p = malloc(sizeof(struct node));   sizeof, of a type or an expression, in an argument
//     return (struct node *)xmalloc(size);     the result of any function that may have allocated it
//
// A sizeof of a structure counts more than the conversion (`(struct base *)malloc(sizeof(struct derived))`); pointers
// to characters and void say nothing. So does a sizeof among the arguments of a function of the program that returns
// void *: `scanner = allocate(sizeof(struct state), pool)`. What is multiplied, or stands alone, is repeated over the
// block. What is added
// (`sizeof(struct message) + length`) describes the beginning only, unless the structure ends in a flexible array,
// whose elements then fill the rest; so does a structure that ends in an array of length 0 or 1, as C was written
// before 1999.
//
// The layout of a type lists its pointers. Of a union, a word is listed if every member that covers it has a pointer
// there; integers never are. What is not listed is ambiguous at run time: an address there is refused, not changed.
//
// C++ says it better: `new T` names the type, and std::allocator<T> calls operator new with n * sizeof(T). An array of
// objects with destructors has its length in front, which is the head of its layout.
//
// The answers go into the tree as calls of two functions that the pass `private-heap` takes away again; a new
// expression calls an allocation function of its own, whose name says the type. (Rejected: the lines of the debug
// information as key between tree and IR, which macros and inlining make ambiguous.)
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "abi/layout.h"
#include "passes/private/PrivateHeap.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>
#include <set>

using namespace clang;

namespace skein {
namespace {

// --- where the pointers of a type are ---

/// `Count` words, `Stride` bytes apart.
struct Group {
  uint64_t Offset, Count, Stride;
};
using Groups = std::vector<Group>;
constexpr size_t GroupsMax = 1024;
constexpr uint64_t WordBytes = 8;

class PointerFinder {
public:
  explicit PointerFinder(ASTContext &Context) : Context(Context) {}

  /// Appends the pointers of an object of type `T` at `Offset`. False if they are too many to list.
  bool find(QualType T, uint64_t Offset, Groups &To) {
    T = T.getCanonicalType().getUnqualifiedType();
    if (const auto *Atomic = T->getAs<AtomicType>())
      return find(Atomic->getValueType(), Offset, To);
    if (const auto *Array = Context.getAsConstantArrayType(T))
      return findInArray(*Array, Offset, To);
    if (const auto *Record = T->getAsRecordDecl())
      return findInRecord(*Record, Offset, To);
    bool Pointer = T->isNullPtrType() || T->isReferenceType() || T->isMemberFunctionPointerType();
    if (const auto *P = T->getAs<PointerType>())
      Pointer = P->getPointeeType().getAddressSpace() == LangAS::Default;
    if (Pointer)
      To.push_back({Offset, 1, WordBytes});
    return To.size() <= GroupsMax;
  }

  bool hasFlexibleEnd(const RecordDecl &Record, const FieldDecl *&Field) const {
    if (Record.isUnion())
      return false;
    Field = nullptr;
    for (const FieldDecl *F : Record.fields())
      Field = F;
    if (!Field)
      return false;
    if (Field->getType()->isIncompleteArrayType())
      return true;
    const auto *Array = Context.getAsConstantArrayType(Field->getType());
    return Array && Array->getSize().ule(1);
  }

private:
  bool findInArray(const ConstantArrayType &Array, uint64_t Offset, Groups &To) {
    QualType Element = Array.getElementType();
    uint64_t Bytes = Context.getTypeSizeInChars(Element).getQuantity();
    if (Array.getSize().getActiveBits() > 32)
      return false;
    uint64_t Count = Array.getSize().getZExtValue();
    Groups One;
    if (!find(Element, 0, One))
      return false;
    if (One.empty() || Count == 0)
      return true;
    for (const Group &G : One) {
      if (G.Count == 1 || G.Count * G.Stride == Bytes) {
        To.push_back({Offset + G.Offset, G.Count * Count, G.Count == 1 ? Bytes : G.Stride});
        continue;
      }
      if (To.size() + std::min(G.Count, Count) > GroupsMax)
        return false;
      if (G.Count < Count)
        for (uint64_t I = 0; I < G.Count; ++I)
          To.push_back({Offset + G.Offset + I * G.Stride, Count, Bytes});
      else
        for (uint64_t I = 0; I < Count; ++I)
          To.push_back({Offset + G.Offset + I * Bytes, G.Count, G.Stride});
    }
    return To.size() <= GroupsMax;
  }

  /// libstdc++ keeps the elements of its nodes in bytes of a type that names theirs.
  static QualType contentOfBuffer(const RecordDecl &Record) {
    const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(&Record);
    const IdentifierInfo *Name = Record.getIdentifier();
    if (!Class || !Name || (Name->getName() != "__aligned_membuf" && Name->getName() != "__aligned_buffer") ||
        Class->getTemplateArgs().size() < 1 || Class->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
      return QualType();
    return Class->getTemplateArgs()[0].getAsType();
  }

  bool findInRecord(const RecordDecl &Declared, uint64_t Offset, Groups &To) {
    const RecordDecl *Record = Declared.getDefinition();
    if (QualType Content = Record ? contentOfBuffer(*Record) : QualType(); !Content.isNull())
      return find(Content, Offset, To);
    if (!Record || Record->isInvalidDecl() || Record->isDependentType())
      return true;
    if (Record->isUnion())
      return findInUnion(*Record, Offset, To);
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
    if (const auto *Class = dyn_cast<CXXRecordDecl>(Record)) {
      if (!findInClass(*Class, Layout, Offset, To, /*Complete=*/true))
        return false;
    }
    return findInFields(*Record, Layout, Offset, To);
  }

  bool findInFields(const RecordDecl &Record, const ASTRecordLayout &Layout, uint64_t Offset, Groups &To) {
    for (const FieldDecl *Field : Record.fields())
      if (!Field->isBitField() &&
          !find(Field->getType(), Offset + Layout.getFieldOffset(Field->getFieldIndex()) / 8, To))
        return false;
    return true;
  }

  /// Virtual table pointer and bases; virtual bases only of a complete object.
  bool findInClass(const CXXRecordDecl &Class, const ASTRecordLayout &Layout, uint64_t Offset, Groups &To,
                   bool Complete) {
    if (Layout.hasOwnVFPtr() || (Class.isDynamicClass() && !Layout.getPrimaryBase()))
      To.push_back({Offset, 1, WordBytes});
    for (const CXXBaseSpecifier &Base : Class.bases())
      if (!Base.isVirtual())
        if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl())
          if (!findInBase(*B, Offset + Layout.getBaseClassOffset(B).getQuantity(), To))
            return false;
    if (Complete)
      for (const CXXBaseSpecifier &Base : Class.vbases())
        if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl())
          if (!findInBase(*B, Offset + Layout.getVBaseClassOffset(B).getQuantity(), To))
            return false;
    return true;
  }

  bool findInBase(const CXXRecordDecl &Base, uint64_t Offset, Groups &To) {
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Base);
    return findInClass(Base, Layout, Offset, To, /*Complete=*/false) && findInFields(Base, Layout, Offset, To);
  }

  /// Words that are pointers in every member that reaches them.
  bool findInUnion(const RecordDecl &Union, uint64_t Offset, Groups &To) {
    struct Member {
      uint64_t Bytes;
      std::set<uint64_t> Words;
    };
    std::vector<Member> Members;
    std::set<uint64_t> All;
    for (const FieldDecl *Field : Union.fields()) {
      Groups Inside;
      if (!find(Field->getType(), 0, Inside))
        return false;
      Member M{uint64_t(Context.getTypeSizeInChars(Field->getType()).getQuantity()), {}};
      for (const Group &G : Inside) {
        if (G.Count > GroupsMax)
          return false;
        for (uint64_t I = 0; I < G.Count; ++I)
          M.Words.insert(G.Offset + I * G.Stride);
      }
      All.insert(M.Words.begin(), M.Words.end());
      Members.push_back(std::move(M));
    }
    for (uint64_t Word : All)
      if (llvm::all_of(Members, [&](const Member &M) { return Word >= M.Bytes || M.Words.count(Word); }))
        To.push_back({Offset + Word, 1, WordBytes});
    return To.size() <= GroupsMax;
  }

  ASTContext &Context;
};

/// Neighbours at equal distances become one group; no number is larger than its field.
bool compress(Groups &All, uint64_t Bytes) {
  llvm::sort(All, [](const Group &A, const Group &B) { return A.Offset < B.Offset; });
  Groups Out;
  for (const Group &G : All) {
    if (!Out.empty() && G.Count == 1 && Out.back().Count * Out.back().Stride + Out.back().Offset == G.Offset &&
        Out.back().Stride == WordBytes)
      ++Out.back().Count;
    else
      Out.push_back(G);
  }
  All.clear();
  for (Group G : Out) {
    while (G.Count > UINT16_MAX) {
      All.push_back({G.Offset, UINT16_MAX, G.Stride});
      G.Offset += UINT16_MAX * G.Stride;
      G.Count -= UINT16_MAX;
    }
    All.push_back(G);
  }
  return All.size() <= GroupsMax && Bytes <= UINT32_MAX &&
         llvm::all_of(All, [](const Group &G) { return G.Count == 1 || G.Stride <= UINT16_MAX; });
}

// --- what an allocation says about its type ---

/// A character, void or nothing complete: could be anything.
bool saysNothing(QualType T) {
  return T.isNull() || T->isVoidType() || T->isCharType() || T->isStdByteType() || T->isIncompleteType() ||
         T->isFunctionType() || T->isDependentType();
}

/// What a size says.
struct SizeForm {
  QualType Type;        ///< of the most telling sizeof; null: there is none
  bool Repeated = true; ///< it is that, or a multiple of it; otherwise something more
};

/// Reads the arguments of an allocation. A local variable that is never changed means its initialiser.
class SizeReader {
public:
  explicit SizeReader(ASTContext &Context) : Context(Context) {}

  /// Of several arguments the product.
  SizeForm read(ArrayRef<const Expr *> Arguments) {
    SizeForm All;
    for (const Expr *E : Arguments)
      All = product(All, visit(E, 0));
    return All;
  }

private:
  SizeForm visit(const Expr *E, unsigned Depth) {
    E = E->IgnoreParenImpCasts();
    if (Depth > 16)
      return {};
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
      return visit(Cast->getSubExpr(), Depth + 1);
    if (const auto *Size = dyn_cast<UnaryExprOrTypeTraitExpr>(E))
      return Size->getKind() == UETT_SizeOf ? sizeOf(Size->getTypeOfArgument()) : SizeForm();
    if (const auto *Offset = dyn_cast<OffsetOfExpr>(E)) {
      SizeForm Form = sizeOf(Offset->getTypeSourceInfo()->getType());
      Form.Repeated = Form.Type.isNull();
      return Form;
    }
    if (const auto *Op = dyn_cast<BinaryOperator>(E)) {
      SizeForm Left = visit(Op->getLHS(), Depth + 1), Right = visit(Op->getRHS(), Depth + 1);
      switch (Op->getOpcode()) {
      case BO_Mul:
        return product(Left, Right);
      case BO_Shl:
        return Left;
      case BO_Add:
      case BO_Sub:
        return sum(Left, Right);
      case BO_Comma:
        return Right;
      default:
        return {};
      }
    }
    if (const auto *Conditional = dyn_cast<ConditionalOperator>(E))
      return either(visit(Conditional->getTrueExpr(), Depth + 1), visit(Conditional->getFalseExpr(), Depth + 1));
    if (const auto *Name = dyn_cast<DeclRefExpr>(E))
      if (const auto *Variable = dyn_cast<VarDecl>(Name->getDecl());
          Variable && Variable->isLocalVarDecl() && Variable->hasInit() && isNeverChanged(*Variable))
        return visit(Variable->getInit(), Depth + 1);
    return {};
  }

  SizeForm sizeOf(QualType T) {
    T = Context.getBaseElementType(T);
    return saysNothing(T) ? SizeForm() : SizeForm{T, true};
  }
  /// Structures say more.
  static QualType better(QualType A, QualType B) {
    return A.isNull() || (!B.isNull() && !A->isRecordType() && B->isRecordType()) ? B : A;
  }
  static SizeForm product(const SizeForm &A, const SizeForm &B) {
    return {better(A.Type, B.Type), A.Repeated && B.Repeated};
  }
  /// An addition of something else is padding, a header, or a text behind the structure.
  SizeForm sum(const SizeForm &A, const SizeForm &B) {
    bool Same = !A.Type.isNull() && !B.Type.isNull() && Context.hasSameUnqualifiedType(A.Type, B.Type);
    QualType Type = better(A.Type, B.Type);
    return {Type, Type.isNull() || (Same && A.Repeated && B.Repeated)};
  }
  SizeForm either(const SizeForm &A, const SizeForm &B) {
    return sum(A.Type.isNull() ? B : A, B.Type.isNull() ? A : B);
  }

  bool isNeverChanged(const VarDecl &Variable) {
    const auto *Function = dyn_cast<FunctionDecl>(Variable.getDeclContext());
    if (!Function || !Function->hasBody())
      return Variable.getType().isConstQualified();
    if (Read != Function) {
      Read = Function;
      Changes.Variables.clear();
      Changes.TraverseStmt(Function->getBody());
    }
    return !Changes.Variables.contains(&Variable);
  }

  /// The variables of a function that are assigned to, or whose address is taken.
  struct Changed : DynamicRecursiveASTVisitor {
    llvm::SmallPtrSet<const VarDecl *, 16> Variables;
    void add(const Expr *E) {
      if (const auto *Name = dyn_cast<DeclRefExpr>(E->IgnoreParens()))
        if (const auto *Variable = dyn_cast<VarDecl>(Name->getDecl()))
          Variables.insert(Variable);
    }
    bool VisitBinaryOperator(BinaryOperator *Op) override {
      if (Op->isAssignmentOp())
        add(Op->getLHS());
      return true;
    }
    bool VisitUnaryOperator(UnaryOperator *Op) override {
      if (Op->isIncrementDecrementOp() || Op->getOpcode() == UO_AddrOf)
        add(Op->getSubExpr());
      return true;
    }
  };

  ASTContext &Context;
  const FunctionDecl *Read = nullptr;
  Changed Changes;
};

/// Operator new or new[] as the C++ library has it.
bool isGlobalNew(const FunctionDecl &F) {
  OverloadedOperatorKind Kind = F.getOverloadedOperator();
  return (Kind == OO_New || Kind == OO_Array_New) && F.isReplaceableGlobalAllocationFunction();
}

/// Which arguments of an allocation function say its size; -1: none.
struct Allocation {
  int Count = -1, Size = -1;
  explicit operator bool() const { return Size >= 0; }
};
Allocation allocationOf(const CallExpr &Call) {
  const FunctionDecl *F = Call.getDirectCallee();
  // std::allocator calls __builtin_operator_new; the alignment may follow.
  if (F && Call.getNumArgs() > 0 && (F->getBuiltinID() == Builtin::BI__builtin_operator_new || isGlobalNew(*F)))
    return {-1, 0};
  if (!F || !F->getIdentifier() || F->getDeclContext()->getRedeclContext()->isRecord())
    return {};
  StringRef Name = F->getName();
  Name.consume_front("skein_");
  Name.consume_front("__builtin_");
  Allocation A = llvm::StringSwitch<Allocation>(Name)
                     .Case("malloc", {-1, 0})
                     .Case("calloc", {0, 1})
                     .Case("realloc", {-1, 1})
                     .Case("reallocarray", {1, 2})
                     .Case("aligned_alloc", {-1, 1})
                     .Case("memalign", {-1, 1})
                     .Default({});
  return int(Call.getNumArgs()) == std::max(A.Count, A.Size) + 1 ? A : Allocation{};
}

class HeapTypes : public DynamicRecursiveASTVisitor {
public:
  explicit HeapTypes(ASTContext &Context) : Context(Context), Sizes(Context) {
    ShouldVisitTemplateInstantiations = false;
  }

  /// A conversion comes before the call inside.
  bool VisitCastExpr(CastExpr *Cast) override {
    if (Cast->getCastKind() != CK_BitCast || Cast->isTypeDependent())
      return true;
    const auto *To = Cast->getType()->getAs<PointerType>();
    auto *Call = dyn_cast<CallExpr>(Cast->getSubExpr()->IgnoreParens());
    if (const auto *Inner = dyn_cast<CastExpr>(Cast->getSubExpr()->IgnoreParens());
        Inner && Inner->getCastKind() == CK_BitCast) // (T *)(void *)f()
      Call = dyn_cast<CallExpr>(const_cast<Expr *>(Inner->getSubExpr()->IgnoreParens()));
    if (!To || !Call || saysNothing(To->getPointeeType()) || isShared(Call->getType()))
      return true;
    ConvertedTo[Call] = To->getPointeeType();
    if (allocationOf(*Call) || Call != Cast->getSubExpr()->IgnoreParens() || !Call->getType()->isPointerType() ||
        !Call->isPRValue() || (returnsMemory(*Call) && !Sizes.read(numbersOf(*Call)).Type.isNull()) ||
        !Seen.insert(Call).second)
      return true;
    if (std::string Text = layout(To->getPointeeType(), nullptr); !Text.empty())
      Cast->setSubExpr(wrap(*Cast->getSubExpr(), TypedFunction, Text));
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) override {
    Allocation A = allocationOf(*Call);
    if ((!A && !returnsMemory(*Call)) || Call->isTypeDependent() || Call->isValueDependent() ||
        !Seen.insert(Call).second)
      return true;
    unsigned At = unsigned(A.Size);
    SmallVector<const Expr *, 4> Numbers;
    if (!A) {
      Numbers = numbersOf(*Call);
      for (At = 0; At < Call->getNumArgs() && Sizes.read(Call->getArg(At)).Type.isNull(); ++At)
        ;
      if (At == Call->getNumArgs())
        return true;
    } else {
      // calloc(n, sizeof(T)); calloc(sizeof(T), n) and calloc(1, sizeof(T) + n) happen, too.
      Numbers.push_back(Call->getArg(At));
      if (A.Count >= 0)
        Numbers.push_back(Call->getArg(unsigned(A.Count)));
      if (!Context.hasSameUnqualifiedType(Call->getArg(At)->getType(), Context.getSizeType()))
        return true;
    }
    SizeForm Form = Sizes.read(Numbers);
    QualType Type = ConvertedTo.lookup(Call);
    if (Type.isNull() || (!Form.Type.isNull() && Form.Type->isRecordType() && Type->isRecordType()))
      Type = Form.Type;
    if (Type.isNull())
      return true;
    if (std::string Text = layout(Type, &Form); !Text.empty())
      Call->setArg(At, wrap(*Call->getArg(At), SizedFunction, Text));
    return true;
  }

  bool VisitCXXNewExpr(CXXNewExpr *New) override {
    FunctionDecl *Operator = New->getOperatorNew();
    if (!privateHeapRequested() || !Operator || New->isInstantiationDependent() || !isGlobalNew(*Operator) ||
        !SeenNew.insert(New).second)
      return true;
    QualType T = New->getAllocatedType();
    SizeForm Form;
    std::string Text = layout(T, &Form);
    bool HasLength = New->isArray() && (New->doesUsualArrayDeleteWantSize() || T.isDestructedType());
    if (uint64_t Length = std::max<uint64_t>(8, Context.getTypeAlignInChars(T).getQuantity());
        HasLength && !Text.empty())
      Text = withHead(Text, Length);
    if (!Text.empty())
      New->setOperatorNew(typedNew(*Operator, Text));
    return true;
  }

private:
  /// A pointer to memory that is no heap's: skein_shared.
  static bool isShared(QualType T) {
    return T->isPointerType() && T->getPointeeType().getAddressSpace() != LangAS::Default;
  }

  /// A function of the program that may return what it allocates.
  bool returnsMemory(const CallExpr &Call) const {
    const FunctionDecl *F = Call.getDirectCallee();
    QualType Result = Call.getType();
    return Result->isPointerType() && !isShared(Result) && saysNothing(Result->getPointeeType()) &&
           !Result->isFunctionPointerType() && (!F || !Context.getSourceManager().isInSystemHeader(F->getLocation())) &&
           (!F || !F->getBuiltinID());
  }

  /// The arguments that may be a size, or a number of elements.
  static SmallVector<const Expr *, 4> numbersOf(const CallExpr &Call) {
    SmallVector<const Expr *, 4> Numbers;
    for (const Expr *Argument : Call.arguments())
      if (Argument->getType()->isIntegerType())
        Numbers.push_back(Argument);
    return Numbers;
  }

  /// The same parts behind a head without pointers.
  static std::string withHead(StringRef Text, uint64_t Bytes) {
    SmallVector<StringRef, 5> Fields;
    Text.split(Fields, '|');
    return Fields[1] == "0" ? (Fields[0] + "|" + Twine(Bytes) + "|" + Fields[2] + "||" + Fields[4]).str() : "";
  }

  /// An allocation function of the same type, whose name says which one it is and the layout.
  FunctionDecl *typedNew(FunctionDecl &Operator, const std::string &Text) {
    FunctionDecl *&F = News[{&Operator, Text}];
    if (F)
      return F;
    F = FunctionDecl::Create(Context, Context.getTranslationUnitDecl(), SourceLocation(), SourceLocation(),
                             Operator.getDeclName(), Operator.getType(), nullptr, SC_Extern);
    SmallVector<ParmVarDecl *, 3> Parameters;
    for (const ParmVarDecl *P : Operator.parameters())
      Parameters.push_back(ParmVarDecl::Create(Context, F, SourceLocation(), SourceLocation(), nullptr, P->getType(),
                                               nullptr, SC_None, nullptr));
    F->setParams(Parameters);
    F->setImplicit();
    std::string Name = NewPrefix + ASTNameGenerator(Context).getName(&Operator) + ":" + Text;
    F->addAttr(AsmLabelAttr::CreateImplicit(Context, Name));
    F->setReferenced();
    F->markUsed(Context);
    return F;
  }

  /// As PrivateHeap.h says. Empty: nothing to say.
  std::string layout(QualType T, const SizeForm *Form) {
    PointerFinder Finder(Context);
    T = Context.getBaseElementType(T);
    if (saysNothing(T))
      return {};
    uint64_t Bytes = Context.getTypeSizeInChars(T).getQuantity();
    Groups One, Tail;
    if (Bytes == 0 || !Finder.find(T, 0, One) || !compress(One, Bytes))
      return {};
    std::string Name = T.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
    std::replace(Name.begin(), Name.end(), '|', '!');
    auto print = [&](unsigned Flags, uint64_t Head, uint64_t Part, const Groups &H, const Groups &P) {
      std::string Text = Name + "|" + std::to_string(Flags) + "|" + std::to_string(Head) + "|" + std::to_string(Part);
      for (const Groups *All : {&H, &P}) {
        Text += "|";
        for (const Group &G : *All)
          Text += std::to_string(G.Offset) + "." + std::to_string(G.Count) + "." +
                  std::to_string(G.Count == 1 ? WordBytes : G.Stride) + " ";
      }
      return Text;
    };
    const FieldDecl *Last;
    if (const auto *Record = T->getAsRecordDecl(); Record && Finder.hasFlexibleEnd(*Record, Last)) {
      bool Old = !Last->getType()->isIncompleteArrayType();
      QualType Element = Context.getAsArrayType(Last->getType())->getElementType();
      uint64_t Head = Context.getASTRecordLayout(Record).getFieldOffset(Last->getFieldIndex()) / 8;
      // sizeof alone, of a structure that ends in an array of length 1: an array of those.
      if (!Old || !Form || !Form->Repeated || Form->Type.isNull()) {
        uint64_t ElementBytes = Context.getTypeSizeInChars(Element).getQuantity();
        if (ElementBytes == 0 || !Finder.find(Element, 0, Tail) || !compress(Tail, ElementBytes))
          return {};
        llvm::erase_if(One, [&](const Group &G) { return G.Offset >= Head; });
        return print(0, Head, ElementBytes, One, Tail);
      }
    }
    bool Repeated = !Form || Form->Repeated || Form->Type.isNull();
    // Only a sizeof says that there is nothing behind the last one.
    bool Whole = Form && Form->Repeated && !Form->Type.isNull();
    return Repeated ? print(Whole ? SKEIN_LAYOUT_WHOLE : 0, 0, Bytes, {}, One) : print(0, Bytes, 0, One, {});
  }

  /// `function(E, "text")`, of E's type.
  Expr *wrap(Expr &E, const char *Function, const std::string &Text) {
    SourceLocation At = E.getExprLoc();
    QualType Character = Context.getPointerType(Context.CharTy.withConst());
    QualType Type = Context.getFunctionType(E.getType(), {E.getType(), Character}, FunctionProtoType::ExtProtoInfo());
    // One declaration a type: void * and char * differ.
    FunctionDecl *&F = Declared[{Function, E.getType().getCanonicalType().getAsOpaquePtr()}];
    if (!F) {
      TranslationUnitDecl *Unit = Context.getTranslationUnitDecl();
      F = FunctionDecl::Create(Context, Unit, SourceLocation(), SourceLocation(), &Context.Idents.get(Function), Type,
                               nullptr, SC_Extern);
      ParmVarDecl *Parameters[2];
      for (unsigned I = 0; I < 2; ++I)
        Parameters[I] = ParmVarDecl::Create(Context, F, SourceLocation(), SourceLocation(), nullptr,
                                            I ? Character : E.getType(), nullptr, SC_None, nullptr);
      F->setParams(Parameters);
      F->setImplicit();
      F->addAttr(AsmLabelAttr::CreateImplicit(Context, Function));
      F->addAttr(NoThrowAttr::CreateImplicit(Context));
    }
    F->setReferenced();
    F->markUsed(Context);
    auto *Name =
        DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), F, false, At, F->getType(), VK_LValue);
    auto *Callee = ImplicitCastExpr::Create(Context, Context.getPointerType(F->getType()), CK_FunctionToPointerDecay,
                                            Name, nullptr, VK_PRValue, FPOptionsOverride());
    QualType Array = Context.getStringLiteralArrayType(Context.CharTy, unsigned(Text.size()));
    auto *Literal = StringLiteral::Create(Context, Text, StringLiteralKind::Ordinary, false, Array, At);
    auto *Decayed = ImplicitCastExpr::Create(Context, Character, CK_ArrayToPointerDecay, Literal, nullptr, VK_PRValue,
                                             FPOptionsOverride());
    return CallExpr::Create(Context, Callee, {&E, Decayed}, E.getType(), VK_PRValue, At, FPOptionsOverride());
  }

  ASTContext &Context;
  SizeReader Sizes;
  llvm::DenseMap<const CallExpr *, QualType> ConvertedTo;
  llvm::SmallPtrSet<const CallExpr *, 32> Seen;
  llvm::SmallPtrSet<const CXXNewExpr *, 32> SeenNew;
  std::map<std::pair<const FunctionDecl *, std::string>, FunctionDecl *> News;
  std::map<std::pair<std::string, const void *>, FunctionDecl *> Declared;
};

} // namespace

void inferHeapTypes(ASTContext &Context, Decl &D) {
  // One for the unit: a declaration may be seen twice.
  static ASTContext *Of = nullptr;
  static std::unique_ptr<HeapTypes> Types;
  if (Of != &Context) {
    Of = &Context;
    Types = std::make_unique<HeapTypes>(Context);
  }
  Types->TraverseDecl(&D);
}

} // namespace skein
