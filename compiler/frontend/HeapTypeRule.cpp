//===- HeapTypeRule.cpp - What type an allocation has -----------------------===//
//
// The private heap has to know where the pointers of each block are. In C the code around the call tells that:
//
//     struct node *n = malloc(size);           converted to another pointer type
//     void *p = malloc(sizeof(struct node));   sizeof, of a type or an expression, in an argument
//     return (struct node *)xmalloc(size);     the result of any function that may have allocated it
//
// A sizeof of a structure counts more than the conversion (`(struct base *)malloc(sizeof(struct derived))`), and a
// conversion to a pointer to characters or void tells nothing. A sizeof also counts among the arguments of a function
// of the program that returns void *: `scanner = allocate(sizeof(struct state), pool)`.
//
// If the size is a sizeof, alone or multiplied, its type is repeated over the block. If something is added
// (`sizeof(struct message) + length`), the type describes only the beginning. But if the structure ends in a flexible
// array, the elements of that fill the rest. This also goes for an array of length 0 or 1, as C was written before
// 1999.
//
// The layout of a type lists its pointers (TypeLayout.cpp). At run time, words that it does not list are ambiguous: if
// one holds an address that would change, the move is refused.
//
// C++ code tells more: `new T` names the type, and std::allocator<T> calls operator new with n * sizeof(T). An array of
// objects with destructors has its length in front, which is the head of its layout.
//
// The types go into the tree as calls of two functions, which the pass `private-heap` removes again. A new expression
// calls an allocation function of its own, whose name contains the type. (Rejected: to use the lines of the debug
// information as a key between tree and IR. Macros and inlining make them ambiguous.)
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "TypeLayout.h"
#include "abi/layout.h"
#include "passes/private/PrivateHeap.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace clang;

namespace skein {
namespace {

constexpr size_t GroupsMax = 1024;
constexpr int64_t WordBytes = 8;

/// Makes one group of neighbours at equal distances, and keeps all numbers within their fields. False: that is not
/// possible.
bool compress(SmallVectorImpl<WordGroup> &All, int64_t Bytes) {
  llvm::sort(All, [](const WordGroup &A, const WordGroup &B) { return A.Offset < B.Offset; });
  SmallVector<WordGroup, 8> Out;
  for (const WordGroup &G : All) {
    if (!Out.empty() && G.Count == 1 && Out.back().Count * Out.back().Stride + Out.back().Offset == G.Offset &&
        Out.back().Stride == WordBytes)
      ++Out.back().Count;
    else
      Out.push_back(G);
  }
  All.clear();
  for (WordGroup G : Out) {
    for (; G.Count > UINT16_MAX; G.Count -= UINT16_MAX) {
      All.push_back({G.Kind, G.Offset, G.Stride, UINT16_MAX});
      G.Offset += UINT16_MAX * G.Stride;
    }
    All.push_back({G.Kind, G.Offset, G.Count == 1 ? WordBytes : G.Stride, G.Count});
  }
  return All.size() <= GroupsMax && Bytes <= UINT32_MAX &&
         llvm::all_of(All, [](const WordGroup &G) { return G.Stride <= UINT16_MAX; });
}

// --- what an allocation says about its type ---

/// Whether the type is that of characters, void or incomplete, so that the object could be anything.
bool saysNothing(QualType T) {
  return T.isNull() || T->isVoidType() || T->isCharType() || T->isStdByteType() || T->isIncompleteType() ||
         T->isFunctionType() || T->isDependentType();
}

/// What an expression for a size tells about the type.
struct SizeForm {
  QualType Type;        ///< the type of the sizeof that tells most; null: there is none
  bool Repeated = true; ///< the size is that of the type, or a multiple of it; otherwise something is added
};

/// Reads the arguments of an allocation. A local variable that is never changed stands for its initialiser.
class SizeReader {
public:
  explicit SizeReader(ASTContext &Context) : Context(Context) {}

  /// Reads the product of several arguments.
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
  /// The type that tells more, which is that of a structure.
  static QualType better(QualType A, QualType B) {
    return A.isNull() || (!B.isNull() && !A->isRecordType() && B->isRecordType()) ? B : A;
  }
  static SizeForm product(const SizeForm &A, const SizeForm &B) {
    return {better(A.Type, B.Type), A.Repeated && B.Repeated};
  }
  /// What is added to a sizeof is padding, a header, or a text after the structure.
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

/// Whether this is an operator new or new[] of the C++ library.
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
  // This is what std::allocator calls; the alignment may follow as an argument.
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

class TypeWriter : public HeapTypes {
public:
  explicit TypeWriter(ASTContext &Context) : Context(Context), Sizes(Context) {}

  void readConversion(CastExpr &Cast) override {
    if (Cast.getCastKind() != CK_BitCast || Cast.isTypeDependent())
      return;
    const auto *To = Cast.getType()->getAs<PointerType>();
    auto *Call = dyn_cast<CallExpr>(Cast.getSubExpr()->IgnoreParens());
    if (const auto *Inner = dyn_cast<CastExpr>(Cast.getSubExpr()->IgnoreParens());
        Inner && Inner->getCastKind() == CK_BitCast) // (T *)(void *)f()
      Call = dyn_cast<CallExpr>(const_cast<Expr *>(Inner->getSubExpr()->IgnoreParens()));
    if (!To || !Call || saysNothing(To->getPointeeType()) || isShared(Call->getType()))
      return;
    ConvertedTo[Call] = To->getPointeeType();
    if (allocationOf(*Call) || Call != Cast.getSubExpr()->IgnoreParens() || !Call->getType()->isPointerType() ||
        !Call->isPRValue() || (returnsMemory(*Call) && !Sizes.read(numbersOf(*Call)).Type.isNull()) ||
        !Seen.insert(Call).second)
      return;
    if (std::optional<HeapLayout> Layout = layout(To->getPointeeType(), nullptr))
      Cast.setSubExpr(wrap(*Cast.getSubExpr(), TypedFunction, Layout->text()));
  }

  void readCall(CallExpr &Call) override {
    Allocation A = allocationOf(Call);
    if ((!A && !returnsMemory(Call)) || Call.isTypeDependent() || Call.isValueDependent() || !Seen.insert(&Call).second)
      return;
    unsigned At = unsigned(A.Size);
    SmallVector<const Expr *, 4> Numbers;
    if (!A) {
      Numbers = numbersOf(Call);
      for (At = 0; At < Call.getNumArgs() && Sizes.read(Call.getArg(At)).Type.isNull(); ++At)
        ;
      if (At == Call.getNumArgs())
        return;
    } else {
      // The usual form is calloc(n, sizeof(T)), but calloc(sizeof(T), n) and calloc(1, sizeof(T) + n) occur, too.
      Numbers.push_back(Call.getArg(At));
      if (A.Count >= 0)
        Numbers.push_back(Call.getArg(unsigned(A.Count)));
      if (!Context.hasSameUnqualifiedType(Call.getArg(At)->getType(), Context.getSizeType()))
        return;
    }
    SizeForm Form = Sizes.read(Numbers);
    QualType Type = ConvertedTo.lookup(&Call);
    if (Type.isNull() || (!Form.Type.isNull() && Form.Type->isRecordType() && Type->isRecordType()))
      Type = Form.Type;
    if (Type.isNull())
      return;
    if (std::optional<HeapLayout> Layout = layout(Type, &Form))
      Call.setArg(At, wrap(*Call.getArg(At), SizedFunction, Layout->text()));
  }

  void readNew(CXXNewExpr &New) override {
    FunctionDecl *Operator = New.getOperatorNew();
    if (!privateHeapRequested() || !Operator || New.isInstantiationDependent() || !isGlobalNew(*Operator) ||
        !SeenNew.insert(&New).second)
      return;
    QualType T = New.getAllocatedType();
    SizeForm Form;
    std::optional<HeapLayout> Layout = layout(T, &Form);
    if (Layout && New.isArray() && (New.doesUsualArrayDeleteWantSize() || T.isDestructedType())) {
      if (Layout->Head)
        return;
      Layout->Head = uint32_t(std::max<int64_t>(WordBytes, Context.getTypeAlignInChars(T).getQuantity()));
    }
    if (Layout)
      New.setOperatorNew(typedNew(*Operator, Layout->text()));
  }

private:
  /// Whether this is a pointer to skein_shared memory, which belongs to no heap.
  static bool isShared(QualType T) {
    return T->isPointerType() && T->getPointeeType().getAddressSpace() != LangAS::Default;
  }

  /// Whether the call is one of a function of the program that may return what it allocates.
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

  /// Makes an allocation function of the same type as the operator. Its name contains that of the operator, and the
  /// layout.
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

  /// Finds the pointers of a type, as a list that a layout can have. False: there is none.
  bool findPointers(QualType T, SmallVectorImpl<WordGroup> &Words) const {
    return !Context.getTypeSizeInChars(T).isZero() && appendWordsOf(Context, T, WordsOf::Pointers, Words) &&
           compress(Words, Context.getTypeSizeInChars(T).getQuantity());
  }

  /// The layout of a block; none if nothing is known of it.
  std::optional<HeapLayout> layout(QualType T, const SizeForm *Form) {
    T = Context.getBaseElementType(T);
    HeapLayout L;
    if (saysNothing(T) || !findPointers(T, L.PartWords))
      return std::nullopt;
    L.Name = T.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
    std::replace(L.Name.begin(), L.Name.end(), '|', '!');
    const auto *Record = T->getAsRecordDecl();
    const FieldDecl *Last = Record ? lastMember(*Record->getDefinition()) : nullptr;
    // If there is only a sizeof of a structure that ends in an array of length 1, the block is an array of such
    // structures.
    const bool SizeAlone = Form && Form->Repeated && !Form->Type.isNull();
    if (Last && isShortArray(Context, *Last, 1) && !(SizeAlone && !Last->getType()->isIncompleteArrayType())) {
      QualType Element = Context.getAsArrayType(Last->getType())->getElementType();
      L.Head = uint32_t(Context.getFieldOffset(Last) / 8);
      L.Part = uint32_t(Context.getTypeSizeInChars(Element).getQuantity());
      std::swap(L.HeadWords, L.PartWords);
      llvm::erase_if(L.HeadWords, [&](const WordGroup &G) { return G.Offset >= L.Head; });
      return findPointers(Element, L.PartWords) ? std::optional(L) : std::nullopt;
    }
    (!Form || Form->Repeated || Form->Type.isNull() ? L.Part : L.Head) =
        uint32_t(Context.getTypeSizeInChars(T).getQuantity());
    if (L.Head)
      std::swap(L.HeadWords, L.PartWords);
    // Only a sizeof tells that nothing follows the last one.
    L.Flags = SizeAlone ? SKEIN_LAYOUT_WHOLE : 0;
    return L;
  }

  /// Makes the call `function(E, "text")`, which has the type of E.
  Expr *wrap(Expr &E, const char *Function, const std::string &Text) {
    SourceLocation At = E.getExprLoc();
    QualType Character = Context.getPointerType(Context.CharTy.withConst());
    QualType Type = Context.getFunctionType(E.getType(), {E.getType(), Character}, FunctionProtoType::ExtProtoInfo());
    // There is one declaration for each type, since void * and char * differ.
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

std::unique_ptr<HeapTypes> makeHeapTypes(ASTContext &Context) { return std::make_unique<TypeWriter>(Context); }

} // namespace skein
