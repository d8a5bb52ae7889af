//===- SharedWord.cpp - `shared` is a qualifier only where one can stand ----===//
//
// <skein/shared.h> gives C programs the word `shared`, for `skein_shared`. It is a macro, and a macro knows no context:
// it would also replace the clause `shared(x)` of an OpenMP directive, and members, variables and functions of that
// name in headers that are read after it. So each time clang expands the macro, this file looks at the tokens on both
// sides, where they are written. If no qualifier can stand between them, the macro expands to the word itself:
//
//     qualifier:  shared double *p     const shared T *q     double shared *r     (shared T *)v
//     the word:   x.shared    p->shared    int shared;    shared(x)    shared = 1    struct shared *s    a + shared * 2
//
// Where both readings are possible, as in `a * shared * b` and `T *shared *p`, the word is a qualifier.
//
// The macro's one token is changed in place, since clang calls back after it has decided to expand a macro, and before
// it reads the macro's text.
//
// Three other ways were rejected. If the header defined no word, programs written with `shared` would not compile. A
// plugin cannot add a keyword to clang. Replacing tokens on their way to the parser (Preprocessor::setTokenWatcher)
// misses those that the parser has looked ahead at.
//
// The preprocessor alone (-E) runs no plugin, and replaces the word everywhere.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/MacroArgs.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace skein {
namespace {

class SharedWord : public PPCallbacks {
public:
  explicit SharedWord(Preprocessor &PP)
      : PP(PP), Word(PP.getIdentifierInfo("shared")), Qualifier(PP.getIdentifierInfo("skein_shared")) {}

  void MacroExpands(const Token &Name, const MacroDefinition &Definition, SourceRange,
                    const MacroArgs *Given) override {
    MacroInfo *Macro = Definition.getMacroInfo();
    if (Given && Word->hasMacroDefinition())
      lookAtArguments(*Macro, *Given);
    if (Name.getIdentifierInfo() != Word || Macro->isFunctionLike() || Macro->getNumTokens() != 1)
      return;
    Token &Meaning = const_cast<Token &>(Macro->getReplacementToken(0));
    if (Meaning.getIdentifierInfo() != Qualifier && Meaning.getIdentifierInfo() != Word)
      return; // the program's own macro
    if (Meaning.getIdentifierInfo() == Qualifier)
      Written = Meaning.getLocation();
    // OpenMP recognises its clauses by their spelling, so the token is placed where the macro's definition spells the
    // word.
    const bool Is = isQualifier(Name.getLocation());
    Meaning.setIdentifierInfo(Is ? Qualifier : Word);
    Meaning.setLocation(Is ? Written : Macro->getDefinitionLoc());
    Meaning.setLength(Meaning.getIdentifierInfo()->getLength());
  }

private:
  /// Notes the arguments of a macro that are nothing but the word. Whether one is a qualifier depends on the place
  /// where the macro's body uses it.
  void lookAtArguments(const MacroInfo &Macro, const MacroArgs &Given) {
    const unsigned Count = std::min(Macro.getNumParams(), Given.getNumMacroArguments());
    for (unsigned Argument = 0; Argument < Count; ++Argument) {
      const Token *First = Given.getUnexpArgument(Argument);
      if (First->isNot(tok::eof) && First->getIdentifierInfo() == Word && First[1].is(tok::eof))
        Alone[First->getLocation()] = isQualifierInBody(Macro, *(Macro.param_begin() + Argument));
    }
  }
  static bool isQualifierInBody(const MacroInfo &Macro, const IdentifierInfo *Parameter) {
    const ArrayRef<Token> Body = Macro.tokens();
    for (size_t I = 0; I < Body.size(); ++I)
      if (Body[I].getIdentifierInfo() == Parameter &&
          fits(I ? std::optional(Body[I - 1]) : std::nullopt,
               I + 1 < Body.size() ? std::optional(Body[I + 1]) : std::nullopt))
        return true;
    return false;
  }

  bool isQualifier(SourceLocation At) const {
    if (auto Known = Alone.find(At); Known != Alone.end())
      return Known->second;
    const SourceManager &Sources = PP.getSourceManager();
    const LangOptions &Language = PP.getLangOpts();
    const SourceLocation Here = Sources.getSpellingLoc(At);
    std::optional<Token> After = Lexer::findNextToken(Here, Sources, Language);
    // The last word of a macro's body is followed by nothing on its line: what follows is written where the macro is
    // used.
    if (After && After->isAtStartOfLine() && Sources.isMacroBodyExpansion(At))
      After = std::nullopt;
    return fits(Lexer::findPreviousToken(Here, Sources, Language, /*IncludeComments=*/false), After);
  }

  /// Whether a qualifier can stand between these two tokens. A token that is not known may be anything.
  static bool fits(const std::optional<Token> &Before, const std::optional<Token> &After) {
    if (Before && Before->isOneOf(tok::period, tok::arrow))
      return false;
    const StringRef Left = textOf(Before), Right = textOf(After);
    if (Left == "struct" || Left == "union" || Left == "enum" || Left == "goto")
      return false;
    if (!After)
      return true;
    const bool BehindType = !Left.empty() && !isOfStatements(Left);
    if (!Right.empty())
      return Right == "__attribute__" ? !BehindType : Right != "asm" && Right != "__asm__" && Right != "__asm";
    return After->is(tok::star) && (BehindType || (Before && Before->is(tok::star)));
  }

  /// The text of an identifier or keyword; empty for any other token.
  static StringRef textOf(const std::optional<Token> &T) {
    if (!T)
      return "";
    if (T->is(tok::raw_identifier))
      return T->getRawIdentifier();
    return T->getIdentifierInfo() ? T->getIdentifierInfo()->getName() : "";
  }

  /// Whether this is a keyword after which an expression follows.
  static bool isOfStatements(StringRef Text) {
    return llvm::StringSwitch<bool>(Text).Cases({"return", "case", "else", "do", "sizeof"}, true).Default(false);
  }

  Preprocessor &PP;
  IdentifierInfo *Word, *Qualifier;
  SourceLocation Written; ///< the location of the qualifier in the macro's definition
  /// Arguments of macros that are nothing but the word, and whether they are qualifiers.
  llvm::DenseMap<SourceLocation, bool> Alone;
};

} // namespace

void readSharedInContext(CompilerInstance &Compiler) {
  Preprocessor &PP = Compiler.getPreprocessor();
  PP.addPPCallbacks(std::make_unique<SharedWord>(PP));
}

} // namespace skein
