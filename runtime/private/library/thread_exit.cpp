// The C++ library runs destructors of thread_local variables at the end of the kernel thread, and those of static
// variables of functions at the end of the process. If such variables are private, they are gone with their Skein
// thread long before. So their destructors must run at the end of that thread.
//
// Programs are linked with --wrap=__cxa_thread_atexit and --wrap=__cxa_atexit, and each thread keeps a list of its
// destructors, last one first, which skein_thread_begin runs when the thread's function has returned. main's
// destructors stay with the library, which runs them at exit if main's private variables are here then: main goes back
// to node 0 before it ends, but what its kernel threads allocated may keep it elsewhere.
//
// The list lies in the process's memory, so a thread that has one does not leave for another process
// (migrate/image_write.cpp).
#include "base/log.h"
#include "base/node.h"
#include "private/globals/globals.h"
#include "private/regions/extents.h"

#include <cstdlib>

/// Weak: C programs have none.
extern "C" __attribute__((weak)) int __real___cxa_thread_atexit(void (*destroy)(void *), void *object, void *library);
/// Weak: unit tests link the runtime without --wrap.
extern "C" __attribute__((weak)) int __real___cxa_atexit(void (*destroy)(void *), void *object, void *library);

namespace skein {

struct ThreadExit {
  ThreadExit *next;
  void (*destroy)(void *);
  void *object;
};

} // namespace skein

using namespace skein;

static int at_thread_exit(Thread &thread, void (*destroy)(void *), void *object) {
  Private *owned = private_record(thread);
  auto *exit = static_cast<ThreadExit *>(std::malloc(sizeof(ThreadExit)));
  if (!owned || !exit)
    return -1;
  *exit = {owned->exits, destroy, object};
  owned->exits = exit;
  return 0;
}

namespace {

struct MainExit {
  void (*destroy)(void *);
  void *object;
};

/// main may have ended on another node, if it could not leave that; then its variables have, too.
void destroy_of_main(void *registered) {
  const MainExit exit = *static_cast<MainExit *>(registered);
  std::free(registered);
  if (node.self != 0 || globals_main_here())
    return exit.destroy(exit.object);
  static bool said;
  if (!said)
    log("main ended on another node, which it could not leave: destructors of its private variables do not run");
  said = true;
}

/// What runs when the process ends: `real` registers it.
int at_process_exit(decltype(__real___cxa_atexit) real, void (*destroy)(void *), void *object, void *library) {
  if (node.count == 1 || !globals_of_main(reinterpret_cast<uintptr_t>(object)))
    return real(destroy, object, library);
  auto *exit = static_cast<MainExit *>(std::malloc(sizeof(MainExit)));
  if (!exit)
    return -1;
  *exit = {destroy, object};
  return real(destroy_of_main, exit, library);
}

} // namespace

extern "C" int __wrap___cxa_thread_atexit(void (*destroy)(void *), void *object, void *library) {
  Thread *thread = thread_current();
  return thread && thread->id != main_id ? at_thread_exit(*thread, destroy, object)
                                         : at_process_exit(__real___cxa_thread_atexit, destroy, object, library);
}

extern "C" int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library) {
  Thread *thread = thread_current();
  const bool own = thread && thread->id != main_id &&
                   private_owner(*thread, reinterpret_cast<uintptr_t>(object)) == PrivateOwner::own;
  return own ? at_thread_exit(*thread, destroy, object)
             : at_process_exit(__real___cxa_atexit, destroy, object, library);
}

[[gnu::noinline]] static void finish(Private *owned) {
  while (ThreadExit *exit = owned ? owned->exits : nullptr) {
    const ThreadExit last = *exit;
    owned->exits = last.next;
    std::free(exit);
    last.destroy(last.object);
    owned = thread_current()->owned;
  }
}

/// On the thread's own stack: destructors may do what other code of the program does, but the thread stays here.
extern "C" void skein_thread_finish() {
  if (Private *owned = thread_current()->owned; __builtin_expect(owned != nullptr, 0))
    finish(owned);
}
