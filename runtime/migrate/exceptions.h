// The exceptions of a thread that moves: which of their words are adjusted (private/library/exceptions.h draws a
// block).
//
//     header of the C++ library            pointers, but for counts and the language's mark; `handler` is a stack
//     address an object that is a pointer          a pointer (`throw &x`, `throw "text"`) a word that leads to a vtable
//     a pointer: what it leads to has the thrown type's type_info in front, as only
//       of the object's own class          a vtable of that class has
//     any other word of an object          ambiguous: an address that moves there refuses the move
//
// Which words of an object are pointers is found out where the thread is, since its vtables are there, and noted in the
// block, which travels.
#ifndef SKEIN_MIGRATE_EXCEPTIONS_H
#define SKEIN_MIGRATE_EXCEPTIONS_H

#include "migrate/check.h"

namespace skein {

// First, where the thread is: notes which words of objects are pointers.
void exceptions_note(const Thread &thread);

// Before the thread leaves this process: classifies the words of its exceptions as check_words does those of its stack.
bool check_exceptions(const Thread &thread, ModulesUsed &used, MoveCounts &counts, Refusal &why);

// Where the thread will go on: whether no ambiguous word leads into a range that moves. Changes nothing.
bool exceptions_adjustable(const Thread &thread, const RangeTable &ranges, Refusal &why);
// Then: adds deltas. The exceptions lie where they always do.
void exceptions_adjust(const Thread &thread, const RangeTable &ranges, MoveCounts &counts);

} // namespace skein

#endif
