//===- Crossings.h - What is used again after the thread may have moved ---===//
//
// Most rules forbid no thing as such: an address in an integer, a FILE *, memory of malloc are all right until the
// thread has moved, and a use before a move, or of a value made anew after it, must not be reported. This is the one
// analysis behind them: forward over clang's CFG of a function, it follows values from where they are made (a *source*)
// through the function's own variables, notes at which call the thread may have moved since then, and hands each use
// after that to the rule.
//
//     int f = open(…);      source: f is held
//     work();               the thread may move: f has crossed
//     read(f, …);           use of what has crossed: a finding
//
// Followed are local variables, members of what they are or lead to, copies of them, and arithmetic with them. A call
// of a function of this unit that returns such a value is a source, too. What is stored elsewhere is lost from sight,
// so the analysis may miss a mistake and hardly ever invents one: a rule that is often wrong is switched off.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_RULES_CROSSINGS_H
#define SKEIN_RULES_CROSSINGS_H

#include "rules/Unit.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <optional>

namespace skein {

/// A local variable or parameter, or a member of what it is or leads to; what is inside of a member is that member, and
/// an element of an array the array.
struct Place {
  const clang::VarDecl *Variable = nullptr;
  const clang::FieldDecl *Member = nullptr; ///< null: the whole variable
  explicit operator bool() const { return Variable; }
  friend bool operator<(const Place &A, const Place &B) {
    return std::pair(A.Variable, A.Member) < std::pair(B.Variable, B.Member);
  }
  std::string name() const;
};

/// The place that this lvalue names. Nothing: it is none of the function's own, or SKEIN_UNTRACKED.
Place placeOf(const clang::Expr *Lvalue);
/// The place that this address leads to: `&v`, `&v.m`, an array's name, casts of these.
Place placeBehind(const clang::Expr *Address);

struct Held {
  const clang::Expr *Source = nullptr; ///< where it was made
  const clang::Stmt *Point = nullptr;  ///< the call in which the thread may have moved since then; null: none
  Move Certainty = Move::Never;        ///< of that call
};

struct Crossing {
  Place Where;
  Held What;
  const clang::Expr *Use;
};

class HeldPlaces {
public:
  void hold(Place Where, const Held &What) { Places[Where] = What; }
  /// What is assigned over the whole variable ends what was known of its members, too.
  void release(Place Where);
  const Held *at(Place Where) const;
  /// The thread may move here.
  void cross(const clang::Stmt &Point, Move Certainty);
  /// A function that is not seen was given the address of the variable, or its value, and may have renewed what has
  /// crossed.
  void renew(const clang::VarDecl &Variable);
  /// Takes over what holds on another way to the same point. True if anything is new.
  bool join(const HeldPlaces &Other);
  bool empty() const { return Places.empty(); }

private:
  std::map<Place, Held> Places;
};

/// What a rule says of the statements it cares about.
class CrossingRule {
public:
  explicit CrossingRule(Warning Kind) : Kind(Kind) {}
  virtual ~CrossingRule() = default;
  Warning kind() const { return Kind; }

  /// Whether the value of this expression is one that a move makes wrong.
  virtual bool isSource(const clang::Expr &) { return false; }
  /// Whether a value made at a source is still such a value after this operation on it.
  virtual bool survives(const clang::BinaryOperator &) { return true; }
  /// A call that makes, uses or ends something otherwise than by its value (pthread_mutex_lock, memcpy). Comes before
  /// the thread may move in it.
  virtual void atCall(const clang::CallExpr &, HeldPlaces &) {}
  /// What an assignment, a declaration or a read does beside giving a value to a place or using it.
  virtual void atAssignment(const clang::BinaryOperator &, HeldPlaces &) {}
  virtual void atDeclaration(const clang::VarDecl &, HeldPlaces &) {}
  virtual void atRead(const clang::Expr &Lvalue, HeldPlaces &) {}
  /// Whether a copy of a place's value is as wrong as the place: not where it is the place that hides what is in it.
  virtual bool copiesMatter() const { return true; }
  /// Whether reading a place's value is a use by itself; if not, the rule says what is.
  virtual bool readsAreUses() const { return true; }
  /// What holds when the function begins, of its parameters.
  virtual void atEntry(const clang::FunctionDecl &, HeldPlaces &) {}
  /// Whether there is something to follow from this expression on. A function without any is not looked at.
  virtual bool begins(const clang::Expr &E) { return isSource(E); }
  /// Whether only what is used after a move is of interest.
  virtual bool needsMove() const { return true; }

  /// This expression uses what is held there.
  void use(Place Where, const HeldPlaces &Places, const clang::Expr &Use);

  std::vector<Crossing> Found; ///< one for each source

private:
  const Warning Kind;
};

/// Fills Rule.Found. Functions without a source or without a call at which the thread may move cost next to nothing.
void findCrossings(Unit &Whole, const clang::FunctionDecl &Function, CrossingRule &Rule);

/// Reports what was found; notes name the source and the call, and `Complete` may add fixes.
void reportCrossings(
    Unit &Whole, CrossingRule &Rule, llvm::function_ref<std::string(const Crossing &)> Text, llvm::StringRef MadeHere,
    llvm::function_ref<void(const Crossing &, Finding &)> Complete = [](const Crossing &, Finding &) {});

} // namespace skein

#endif
