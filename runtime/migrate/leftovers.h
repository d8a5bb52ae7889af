// A thread that has ended may have left addresses of its locals in globals. This file keeps the next thread on the same
// stack from being pinned by them.
//
// A global that holds an address of a thread's stack keeps the thread where it is (check.h), and must, since any thread
// may read the global next. But the next thread on that stack would be kept as well, by an address that it never
// stored. The value alone does not help, since a thread that does store the address of a local mostly stores that very
// value. It helps if the two never have the same stack. So when a thread has ended, the globals are searched for
// addresses of its stack, and a stack to which one leads is set aside (thread/free_slots.h). Then an address that is
// found before a move was stored by the thread that moves. When a thread has moved, the search is not repeated for the
// stack that it left, since one was made right before.
//
// If such a search is not made, a later thread may be refused a move, but is never wrong. So searches may be left out:
// threads that end within fractions of a microsecond must not pay for them, nor must programs with megabytes of
// globals. Each kernel thread has a credit of bytes to search. Each end of a thread adds a little to it, and each move
// adds more; a search is made when the credit covers it. Once any search has found an address, the program is one that
// leaves addresses, and all searches are made. In processes whose threads do not move nothing is searched.
//
// Rejected: remembering which words held which addresses when a thread began (the same address may be stored again
// meanwhile, by this thread); clearing the words (they are the program's, and may be numbers); a mark at each store of
// a pointer to a global (the stores are many, the threads that move few).
#ifndef SKEIN_MIGRATE_LEFTOVERS_H
#define SKEIN_MIGRATE_LEFTOVERS_H

namespace skein {

/// Threads may move from now on. Any kernel thread may call this, any number of times.
void leftovers_start();
/// To be called when the globals have been searched because a thread moves.
void leftovers_moving();
/// To be called when a search has found an address of a stack.
void leftovers_seen();

} // namespace skein

#endif
