//===- HeldLockRule.cpp - A lock of the process, and a move --------------===//
#include "rules/Crossings.h"

using namespace clang;

namespace skein {
namespace {

constexpr llvm::StringRef Locks[] = {"pthread_mutex_lock",
                                     "pthread_mutex_timedlock",
                                     "pthread_mutex_trylock",
                                     "pthread_rwlock_rdlock",
                                     "pthread_rwlock_wrlock",
                                     "pthread_spin_lock",
                                     "pthread_spin_trylock",
                                     "mtx_lock",
                                     "mtx_trylock",
                                     "flockfile",
                                     "sem_wait",
                                     "lockf",
                                     "pthread_rwlock_trywrlock"};
constexpr llvm::StringRef Unlocks[] = {"pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock",
                                       "mtx_unlock",           "funlockfile",           "sem_post"};

/// The variable, or the member of what a variable leads to, that is the lock: unlike other places, not only the
/// function's own.
Place lockOf(const CallExpr &Call) {
  if (Call.getNumArgs() == 0)
    return {};
  const Expr *E = Call.getArg(0)->IgnoreParenCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_AddrOf)
    E = Unary->getSubExpr()->IgnoreParens();
  const FieldDecl *Member = nullptr;
  while (const auto *Access = dyn_cast<MemberExpr>(E)) {
    if (!Member)
      Member = dyn_cast<FieldDecl>(Access->getMemberDecl());
    E = Access->getBase()->IgnoreParenCasts();
  }
  const auto *Name = dyn_cast<DeclRefExpr>(E);
  const auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  return V ? Place{V, Member} : Place{};
}

class HeldLocks : public CrossingRule {
public:
  HeldLocks() : CrossingRule(Warning::HeldLock) {}

  bool readsAreUses() const override { return false; }

  bool begins(const Expr &E) override {
    const auto *Call = dyn_cast<CallExpr>(&E);
    return Call && isNamed(Call->getDirectCallee(), Locks);
  }

  void atCall(const CallExpr &Call, HeldPlaces &Places) override {
    Place Lock = lockOf(Call);
    if (!Lock)
      return;
    if (isNamed(Call.getDirectCallee(), Locks)) {
      Places.hold(Lock, Held{&Call});
    } else if (isNamed(Call.getDirectCallee(), Unlocks)) {
      use(Lock, Places, Call);
      Places.release(Lock);
    }
  }
};

void check(Unit &Whole, const FunctionDecl &Function) {
  HeldLocks Held;
  findCrossings(Whole, Function, Held);
  reportCrossings(
      Whole, Held,
      [](const Crossing &Each) {
        return "the lock '" + Each.Where.name() +
               "' of this process is held while the thread may block or move: its worker's other threads may wait for "
               "it for ever, and the thread cannot leave; unlock it before, or use a lock of <skein/sync.h>";
      },
      "it is locked here");
}

} // namespace

const Rule HeldLockRule{
    Warning::HeldLock,
    false,
    check,
    "A pthread mutex belongs to the kernel thread that locked it. A Skein thread that gives up its worker while it "
    "holds "
    "one leaves the worker's next thread to wait for it without end, and may be resumed by another worker, which may "
    "not unlock it. The runtime does not move a thread that holds such a lock.",
    R"(#include <pthread.h>
#include <skein/skein.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void work(void) {
  pthread_mutex_lock(&mutex);
  skein_yield();
  pthread_mutex_unlock(&mutex);
}
)",
    R"(#include <skein/skein.h>
#include <skein/sync.h>

skein_mutex_t mutex;

void work(void) {
  skein_mutex_lock(&mutex);
  skein_yield();
  skein_mutex_unlock(&mutex);
}
)"};

} // namespace skein
