// C++ exceptions: what the C++ library keeps about them for a kernel thread, kept for the Skein thread instead.
//
// libstdc++ calls six functions of its own by name, so that a program may replace them as it may replace operator new,
// and this file does: __cxa_get_globals (the stack of exceptions being handled, and how many fly) and the allocation of
// exception objects. Both belong to the thread from then on, in an *arena*: an extent, which keeps its address wherever
// the thread goes. So a thread may wait, or move to another stack or node, while it handles an exception, or in a
// destructor that runs while one flies. The switch of threads does nothing about it, and a thread that never threw has
// no arena.
//
//     arena ->  globals           what __cxa_get_globals returns
//               live              blocks in use, a list
//               free[]            blocks by size
//               block: Block | header of the C++ library (128 bytes) | the object that was thrown
//               block: …
//
// What has to be adjusted in a block when its thread moves: the header holds pointers (type, destructor, handlers, the
// tables of the handling function, and in private_2 the *stack address* of its frame). The object's words are pointers
// if it is one (`throw &x`) or if its type says so (see exception_word_is_pointer); others are ambiguous.
//
// An exception_ptr may hold an exception beyond the end of its thread. The arena of a thread that ends is kept until
// the last of its blocks is free.
//
// Before main, and on kernel threads that run no Skein thread, blocks come from malloc.
//
// Rejected: saving the two words at each switch (four memory accesses for every switch of every program); the private
// heap (malloc'ed blocks have a type by their allocation, exceptions by what is thrown; and it ends with its thread).
#ifndef SKEIN_PRIVATE_LIBRARY_EXCEPTIONS_H
#define SKEIN_PRIVATE_LIBRARY_EXCEPTIONS_H

#include "private/regions/extents.h"

#include <cstddef>
#include <cstdint>

namespace skein {

/// `__cxa_eh_globals` of the Itanium ABI.
struct ExceptionGlobals {
  void *caught; // header of the exception being handled, innermost first
  unsigned uncaught;
};

/// `__cxa_exception` and `__cxa_dependent_exception` of libstdc++, one layout for both (unwind-cxx.h there).
struct ExceptionHeader {
  const void *type;        // of a dependent one: the object it depends on
  void (*destroy)(void *); // or null
  void (*unexpected)();
  void (*terminate)();
  ExceptionHeader *next; // in the stack of those being handled
  int handlers;
  int handler_switch;
  const unsigned char *action, *tables;
  uintptr_t catch_temporary;
  void *adjusted; // what the handler's parameter is bound to
  // _Unwind_Exception
  uint64_t language;
  void (*cleanup)(int, void *);
  uint64_t stop;    // private_1: a function, of forced unwinding
  uint64_t handler; // private_2: the frame that handles it
};
static_assert(sizeof(ExceptionHeader) == 112);

/// One exception, in front of what the C++ library sees.
struct alignas(16) ExceptionBlock {
  ExceptionBlock *next, *previous;
  struct ExceptionArena *arena; // null: from malloc
  uint64_t bytes;               // of the object; 0: a dependent exception has none of its own
  uint64_t pointers;            // words of the object that were found to be pointers, one bit each
  uint32_t size_class;
  uint32_t dependent;

  ExceptionHeader *header();
  uintptr_t object() { return reinterpret_cast<uintptr_t>(header() + 1); }
  /// Words of the object that can be pointers in `pointers`.
  static constexpr unsigned words_known = 64;
};

/// The exceptions of a thread that live: thrown, or about to be; not necessarily being handled.
void exceptions_each(const Thread &thread, void (*visit)(ExceptionBlock &block, void *context), void *context);
template <class Function> void exceptions_each(const Thread &thread, Function &&function) {
  exceptions_each(
      thread, [](ExceptionBlock &block, void *context) { (*static_cast<Function *>(context))(block); }, &function);
}

/// Whether what exceptions_each will follow leads where it should. For a thread that has arrived: an image may say
/// anything.
bool exceptions_intact(const Thread &thread);

/// What the C++ library knows of the thread; null if it has thrown and caught nothing yet.
const ExceptionGlobals *exception_globals(const Thread &thread);
/// A thread ends: true if its arena must stay, since somebody holds one of its exceptions. The extents of that kind are
/// the arena's own from then on.
bool exceptions_outlive(Thread &thread);

} // namespace skein

#endif
