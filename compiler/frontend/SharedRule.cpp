//===- SharedRule.cpp - Pointers to shared memory stay what they are -------===//
//
// Clang refuses to convert `T *` to `shared T *` implicitly, or the other way round. It lets other confusions of the
// two pass, which would go wrong silently wherever the memory is not mapped. This rule refuses them:
//
//   * explicit casts between the two, at any depth of pointers, and in C comparisons of one with the other;
//   * a round trip through an integer in one expression;
//   * arguments of library functions that clang knows (for `sprintf` it makes up a parameter of the right type, and
//     then calls the real function all the same), and arguments of printf and scanf, which follow the pointer of a
//     "%s". <skein/shared.h> overloads the functions that can work on shared memory;
//   * variables that are declared to be shared: each process would have its own, at an address outside of shared
//     memory. (Clang itself refuses local ones.)
//
// What goes through an integer variable, a union or memcpy is the program's own responsibility, as always in C. The
// pass shared-lowering refuses address space casts that come about in other ways.
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "Rules.h"
#include "rules/SharedMemory.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace skein {

/// Whether two types of pointers disagree, at any depth, on where they lead.
static bool disagree(const ASTContext &Context, QualType A, QualType B) {
  while (A->isPointerType() && B->isPointerType()) {
    A = A->getPointeeType();
    B = B->getPointeeType();
    if (isShared(Context, A) != isShared(Context, B))
      return true;
  }
  return false;
}

static std::string quoted(QualType T) { return "'" + T.getAsString() + "'"; }

/// The pointer that was converted to this integer, or null if that is not to be seen.
static const Expr *pointerBehind(const Expr *Number) {
  const Expr *E = Number->IgnoreParens();
  while (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_PointerToIntegral)
      return Cast->getSubExpr();
    if (Cast->getCastKind() != CK_IntegralCast && Cast->getCastKind() != CK_NoOp)
      return nullptr;
    E = Cast->getSubExpr()->IgnoreParens();
  }
  return nullptr;
}

void checkSharedCast(ASTContext &Context, const CastExpr &Cast) {
  const Expr *From = Cast.getSubExpr();
  switch (Cast.getCastKind()) {
  case CK_BitCast:
  case CK_NoOp:
  case CK_AddressSpaceConversion:
    break;
  case CK_IntegralToPointer:
    From = pointerBehind(From);
    if (!From)
      return;
    break;
  case CK_LValueBitCast:
    if (isShared(Context, From->getType()) == isShared(Context, Cast.getType()))
      return;
    break;
  default:
    return;
  }
  if (Cast.getCastKind() != CK_LValueBitCast && !disagree(Context, From->getType(), Cast.getType()))
    return;
  if (From->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNull)) // p == NULL
    return;
  error(Context.getDiagnostics(), Cast.getSourceRange(),
        quoted(From->getType()) + " does not become " + quoted(Cast.getType()) +
            ": one of them leads to shared memory, the other does not; skein_local() gives the plain pointer to a "
            "shared object where there is one");
}

/// The conversion in a printf format that takes argument `Wanted` after the format, or 0 if there is none. A width of
/// `*` takes an argument, too.
static char conversionOf(StringRef Format, unsigned Wanted) {
  unsigned Next = 0;
  for (size_t At = Format.find('%'); At != StringRef::npos; At = Format.find('%', At)) {
    size_t End = Format.find_first_of("diouxXeEfFgGaAcspnmCS%", At + 1);
    if (End == StringRef::npos)
      return 0;
    for (char C : Format.slice(At + 1, End))
      if (C == '*' && Next++ == Wanted)
        return C;
    At = End + 1;
    if (Format[End] != '%' && Format[End] != 'm' && Next++ == Wanted)
      return Format[End];
  }
  return 0;
}

static void checkFormat(ASTContext &Context, const CallExpr &Call, const FunctionDecl &Callee) {
  const auto *Attribute = Callee.getAttr<FormatAttr>();
  if (!Attribute || Attribute->getFirstArg() <= 0)
    return;
  unsigned FormatAt = static_cast<unsigned>(Attribute->getFormatIdx()) - 1;
  unsigned First = static_cast<unsigned>(Attribute->getFirstArg()) - 1;
  if (FormatAt >= Call.getNumArgs())
    return;
  const auto *Format = dyn_cast<clang::StringLiteral>(Call.getArg(FormatAt)->IgnoreParenImpCasts());
  const bool Scans = Attribute->getType()->getName().contains("scanf");
  for (unsigned N = First; N < Call.getNumArgs(); ++N) {
    const Expr &Argument = *Call.getArg(N);
    if (!leadsToShared(Context, Argument.getType()))
      continue;
    char Conversion = !Scans && Format && Format->getCharByteWidth() == 1 && !Format->getString().contains('$')
                          ? conversionOf(Format->getString(), N - First)
                          : '?';
    if (Conversion == 'p' || Conversion == 0)
      continue;
    error(Context.getDiagnostics(), Argument.getSourceRange(),
          "'" + Callee.getNameAsString() + "' works on plain memory, but " + quoted(Argument.getType()) +
              " leads to shared memory; copy what is there (memcpy takes both), or print the address with %p");
  }
}

void checkSharedArguments(ASTContext &Context, const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  if (!Callee)
    return;
  checkFormat(Context, Call, *Callee);
  const unsigned Builtin = Callee->getBuiltinID();
  if (!Builtin || !Callee->isExternC() || // std::move and the like accept any type
      !(Context.BuiltinInfo.isPredefinedLibFunction(Builtin) || Context.BuiltinInfo.isLibFunction(Builtin)))
    return;
  switch (Builtin) {
  case Builtin::BImemcpy:
  case Builtin::BImemmove:
  case Builtin::BImemset:
  case Builtin::BI__builtin_memcpy:
  case Builtin::BI__builtin_memmove:
  case Builtin::BI__builtin_memset:
    return; // they become intrinsics, which shared-lowering handles
  default:
    break;
  }
  const unsigned Fixed = std::min(Callee->getNumParams(), Call.getNumArgs());
  for (unsigned N = 0; N < Fixed; ++N) {
    const Expr &Argument = *Call.getArg(N);
    if (leadsToShared(Context, Argument.getType())) {
      error(Context.getDiagnostics(), Argument.getSourceRange(),
            "'" + Callee->getNameAsString() + "' works on plain memory, but " + quoted(Argument.getType()) +
                " leads to shared memory; copy what is there (memcpy takes both)");
      return;
    }
  }
}

void checkSharedVariable(ASTContext &Context, const VarDecl &Variable) {
  if (!Variable.hasGlobalStorage() || !isShared(Context, Variable.getType()))
    return;
  error(Context.getDiagnostics(), Variable.getSourceRange(),
        "'" + Variable.getNameAsString() +
            "' would be another variable in each process; skein_shared says where a pointer leads: declare a pointer, "
            "and give it memory of skein_shared_alloc()");
}

} // namespace skein
