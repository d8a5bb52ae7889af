// A thread may move while it throws or handles an exception. This file says which words of its exceptions are adjusted
// then (private/library/exceptions.h draws the block of an exception):
//
//     header of the C++ library            pointers, but for counts and the mark of the language; `handler` is an
//                                          address of the stack
//     object that is a pointer             a pointer (`throw &x`, `throw "text"`)
//     word that leads to a vtable of the   a pointer: in front of what it leads to lies the type_info of the thrown
//       object's own class                 type, as only a vtable of that class has it
//     any other word of an object          ambiguous: the move is refused if it is an address of what moves
//
// Which words of an object are pointers is found out where the thread is, since the vtables it knows are there, and
// noted in the block, which travels.
#ifndef SKEIN_MIGRATE_EXCEPTION_WORDS_H
#define SKEIN_MIGRATE_EXCEPTION_WORDS_H

#include "migrate/check.h"

namespace skein {

// Called first, where the thread is: notes which words of its objects are pointers.
void exceptions_note(const Thread &thread);

// Before the thread leaves this process: classifies the words of its exceptions as check_words does those of its stack.
bool check_exceptions(const Thread &thread, ModulesUsed &used, MoveCounts &counts, Refusal &why);

// Called where the thread will go on: whether no ambiguous word leads into a range that moves. Changes nothing.
bool exceptions_adjustable(const Thread &thread, const RangeTable &ranges, Refusal &why);
// Called last: adds the deltas. The exceptions themselves keep their addresses.
void exceptions_adjust(const Thread &thread, const RangeTable &ranges, MoveCounts &counts);

} // namespace skein

#endif
