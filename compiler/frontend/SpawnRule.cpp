//===- SpawnRule.cpp - skein_spawn(f, ...) is checked like f(...) ----------===//
//
// <skein/skein.h> makes `skein_spawn(f, a, b)` the call `skein_spawn_((void (*)(void))(f), 0, a, b)` of a variadic
// function (in C++ skein_entry_ is in the place of the cast, and this rule makes it the cast again), so that C has one
// name for all types. A variadic call is not checked, so this rule does what clang does for a direct call. It looks
// through the cast at the function. Sema itself converts the arguments to the types of the parameters: with the same
// conversions (an int for a double parameter), errors and notes. The 0 is replaced by a number for the type of the
// result (SKEIN_RESULT_*), which IR does not tell of a call through a pointer. Then integers are promoted, so that what
// the pass `spawn` finds in IR is one of
//
//     i32, i64   extended by sign or zero as the callee's type says      pointers
//     float      not promoted to double: the callee wants a float        double
//
// A closure of C++ (<skein/thread.hpp>) travels as the words of one object that is passed in memory, so that what it
// captured by value may be of any types and in any order, and a thread that has not begun is still a function and a few
// words. Which of them are pointers is known only here: the header asks, and the answer is written into the call. The
// answer 0 is always right; the closure is then copied by the new thread, on the same node.
//
// Two other ways were rejected: an error that asks the user for casts (it is unpleasant, and no cast can ask for a
// float), and a macro with _Generic (its errors are unreadable, and C++ does not have it).
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "Rules.h"
#include "TypeLayout.h"
#include "abi/entry_points.h"
#include "abi/frame_map.h"
#include "rules/Spawn.h"
#include "clang/AST/ASTContext.h"
#include "clang/Sema/Initialization.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace skein {
namespace {

/// Registers that carry arguments, by the System V ABI and entry_points.h.
constexpr unsigned IntegersMax = 6, FloatsMax = 8;
static_assert(IntegersMax + FloatsMax == SKEIN_ARGUMENTS_MAX);

enum class Class { Integer, Float, Unsupported };

Class classify(const ASTContext &Context, QualType T) {
  T = T.getCanonicalType().getUnqualifiedType();
  if (T->isPointerType() || T->isNullPtrType())
    return Class::Integer;
  if (T->isIntegralOrEnumerationType() && !T->isDependentType())
    return Context.getTypeSize(T) <= 64 && !T->isBitIntType() ? Class::Integer : Class::Unsupported;
  if (T->isSpecificBuiltinType(BuiltinType::Float) || T->isSpecificBuiltinType(BuiltinType::Double))
    return Class::Float;
  return Class::Unsupported;
}

std::string quoted(QualType T) { return "'" + T.getAsString() + "'"; }

/// The function's type, or null after an error.
const FunctionType *functionType(DiagnosticsEngine &Diags, const Expr &Function) {
  QualType T = Function.getType();
  if (const auto *Pointer = T->getAs<PointerType>())
    T = Pointer->getPointeeType();
  if (const auto *F = T->getAs<FunctionType>())
    return F;
  if (!T->isRecordType()) // <skein/skein.h> says what starts closures
    error(Diags, Function.getSourceRange(),
          "skein_spawn needs a function, but this has type " + quoted(Function.getType()));
  return nullptr;
}

bool checkSignature(DiagnosticsEngine &Diags, const ASTContext &Context, const Expr &Function,
                    const FunctionProtoType &Type) {
  SourceRange Where = Function.getSourceRange();
  if (Type.isVariadic()) {
    error(Diags, Where, "skein_spawn cannot start a function with variable arguments");
    return false;
  }
  QualType Result = Type.getReturnType();
  if (!Result->isVoidType() && !Result->isReferenceType() && classify(Context, Result) == Class::Unsupported) {
    error(Diags, Where,
          "skein_spawn cannot start a function that returns " + quoted(Result) +
              "; nobody would take its result, so let it return void");
    return false;
  }
  unsigned Count[2] = {0, 0};
  for (QualType Parameter : Type.param_types()) {
    Class C = classify(Context, Parameter);
    if (C == Class::Unsupported) {
      error(Diags, Where,
            "skein_spawn cannot pass " + quoted(Parameter) +
                " to a thread: arguments are integers of up to 64 bits, pointers, float or double");
      return false;
    }
    ++Count[C == Class::Float];
  }
  if (Count[0] > IntegersMax || Count[1] > FloatsMax) {
    error(Diags, Where,
          "skein_spawn passes at most 6 integers or pointers and 8 floating-point values, but this function "
          "takes " +
              llvm::Twine(Count[0]) + " and " + llvm::Twine(Count[1]) + "; pass a pointer to skein_shared memory");
    return false;
  }
  return true;
}

bool checkCount(DiagnosticsEngine &Diags, const CallExpr &Spawn, const Expr &Function, unsigned Wanted) {
  unsigned First = firstSpawnArgument(Spawn), Given = Spawn.getNumArgs() - First;
  if (Given == Wanted)
    return true;
  SourceRange Where = Given > Wanted ? Spawn.getArg(Wanted + First)->getSourceRange() : Function.getSourceRange();
  error(Diags, Where,
        llvm::Twine("too ") + (Given > Wanted ? "many" : "few") + " arguments to the spawned function: expected " +
            llvm::Twine(Wanted) + ", have " + llvm::Twine(Given));
  if (const auto *Name = dyn_cast<DeclRefExpr>(Function.IgnoreParenImpCasts());
      Name && isa<FunctionDecl>(Name->getDecl()))
    note(Diags, Name->getDecl()->getLocation(), "'" + Name->getDecl()->getNameAsString() + "' declared here");
  return false;
}

/// The SKEIN_RESULT_* for the type of a result that checkSignature has accepted.
unsigned resultClass(const ASTContext &Context, QualType T) {
  T = T.getCanonicalType().getUnqualifiedType();
  if (T->isPointerType())
    return SKEIN_RESULT_POINTER;
  if (T->isSpecificBuiltinType(BuiltinType::Double))
    return SKEIN_RESULT_DOUBLE;
  if (T->isSpecificBuiltinType(BuiltinType::Float))
    return SKEIN_RESULT_FLOAT;
  if (!T->isIntegralOrEnumerationType())
    return SKEIN_RESULT_NONE; // void, a reference, nullptr_t
  return (T->isUnsignedIntegerOrEnumerationType() ? SKEIN_RESULT_UNSIGNED : SKEIN_RESULT_SIGNED) +
         2 * llvm::Log2_64(Context.getTypeSizeInChars(T).getQuantity());
}

/// The argument without the promotion from float to double that Sema added for the variadic call.
Expr *withoutFloatPromotion(Expr *Argument) {
  if (auto *Cast = dyn_cast<ImplicitCastExpr>(Argument);
      Cast && Cast->getCastKind() == CK_FloatingCast && Cast->getSubExpr()->getType()->isFloatingType())
    return Cast->getSubExpr();
  return Argument;
}

/// Converts argument `I` of the spawned function as a direct call would.
bool convertArgument(Sema &Sema, CallExpr &Spawn, unsigned I, QualType Parameter, ParmVarDecl *Declared) {
  InitializedEntity Entity = Declared ? InitializedEntity::InitializeParameter(Sema.Context, Declared)
                                      : InitializedEntity::InitializeParameter(Sema.Context, Parameter, false);
  const unsigned At = firstSpawnArgument(Spawn) + I;
  Expr *Written = withoutFloatPromotion(Spawn.getArg(At));
  ExprResult Converted = Sema.PerformCopyInitialization(Entity, Written->getExprLoc(), Written);
  if (Converted.isInvalid())
    return false;
  Expr *E = Converted.get();
  if (E->getType()->isIntegralOrUnscopedEnumerationType()) {
    ExprResult Promoted = Sema.UsualUnaryConversions(E);
    if (Promoted.isInvalid())
      return false;
    E = Promoted.get();
  }
  Spawn.setArg(At, E);
  return true;
}

/// How an object travels that a thread takes by value in memory: what __skein_spawn_with takes as count and classes. 0
/// if it does not travel as words: they are too many, may be pointers or not, or have to be copied by a constructor.
uint64_t wordsOfClosure(const ASTContext &Context, QualType T, QualType Result) {
  constexpr int64_t WordBytes = 8, InRegistersMost = 16, AlignedMost = 16;
  const auto *Class = T->getAsCXXRecordDecl();
  const int64_t Bytes = Context.getTypeSizeInChars(T).getQuantity();
  if (!Class || !T.isTriviallyCopyableType(Context) || !Class->canPassInRegisters() || Bytes <= InRegistersMost ||
      Bytes > WordBytes * SKEIN_ARGUMENTS_MAX || Bytes % WordBytes ||
      Context.getTypeAlignInChars(T).getQuantity() > AlignedMost)
    return 0;
  llvm::SmallVector<WordGroup, 8> Groups;
  if (!appendWordsOf(Context, T, WordsOf::All, Groups))
    return 0;
  uint64_t Classes = uint64_t(resultClass(Context, Result)) << SKEIN_RESULT_SHIFT;
  for (const WordGroup &Group : Groups)
    for (int64_t I = 0; I < Group.Count; ++I) {
      const int64_t At = Group.Offset + I * Group.Stride;
      if (Group.Kind != SKEIN_LOCAL_POINTER || At % WordBytes)
        return 0;
      Classes |= uint64_t(SKEIN_ARGUMENT_POINTER) << 2 * (At / WordBytes);
    }
  return uint64_t(SKEIN_IN_MEMORY | Bytes / WordBytes) << 32 | Classes;
}

/// The type of the expression behind the casts to the parameter's.
QualType pointeeAsWritten(const Expr *E) {
  while (const auto *Cast = dyn_cast<CastExpr>(E->IgnoreParens()))
    E = Cast->getSubExpr();
  const QualType T = E->IgnoreParens()->getType();
  return T->isPointerType() ? T->getPointeeType() : T;
}

} // namespace

void writeWordsOfClosure(ASTContext &Context, CallExpr &Asks) {
  const auto *Entry = pointeeAsWritten(Asks.getArg(1))->getAs<FunctionType>();
  const uint64_t Words = Entry ? wordsOfClosure(Context, pointeeAsWritten(Asks.getArg(0)), Entry->getReturnType()) : 0;
  Asks.setArg(2, IntegerLiteral::Create(Context, llvm::APInt(64, Words), Context.UnsignedLongTy, Asks.getBeginLoc()));
}

bool checkSpawn(Sema &Sema, CallExpr &Spawn) {
  DiagnosticsEngine &Diags = Sema.getDiagnostics();
  const Expr *Function = spawnedFunction(Spawn);
  const FunctionType *Type = functionType(Diags, *Function);
  if (!Type)
    return false;
  const auto *Prototype = dyn_cast<FunctionProtoType>(Type);
  if (!Prototype) {
    error(Diags, Function->getSourceRange(),
          "skein_spawn needs to know the parameters of the function; declare it with a prototype");
    return false;
  }
  if (!checkSignature(Diags, Sema.Context, *Function, *Prototype) ||
      !checkCount(Diags, Spawn, *Function, Prototype->getNumParams()))
    return false;

  const unsigned At = spawnedFunctionAt(Spawn);
  if (const Expr *Argument = argumentOfEntry(*Spawn.getArg(At)))
    Spawn.setArg(At, ImplicitCastExpr::Create(Sema.Context, Spawn.getArg(At)->getType(), CK_BitCast,
                                              const_cast<Expr *>(Argument), nullptr, VK_PRValue, FPOptionsOverride()));
  const unsigned Result = resultClass(Sema.Context, Prototype->getReturnType());
  Spawn.setArg(At + 1, IntegerLiteral::Create(Sema.Context, llvm::APInt(32, Result), Sema.Context.UnsignedIntTy,
                                              Spawn.getBeginLoc()));
  const FunctionDecl *Declaration = nullptr;
  if (const auto *Name = dyn_cast<DeclRefExpr>(Function->IgnoreParenImpCasts()))
    Declaration = dyn_cast<FunctionDecl>(Name->getDecl());
  bool Right = true;
  for (unsigned I = 0; I < Prototype->getNumParams(); ++I)
    Right &= convertArgument(Sema, Spawn, I, Prototype->getParamType(I),
                             Declaration ? const_cast<ParmVarDecl *>(Declaration->getParamDecl(I)) : nullptr);
  return Right;
}

} // namespace skein
