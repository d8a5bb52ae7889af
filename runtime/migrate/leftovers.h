// Addresses of their locals that finished threads left in globals.
//
// A global that holds an address of a thread's stack keeps the thread where it is (check.h), and must: nobody can tell
// who reads the global next. But the next thread on the same stack would be kept as well, by an address that it never
// stored and that its program has no use for; and looking at the value does not help, since a thread that does store
// the address of a local mostly stores that very value. What helps is that the two never share a stack. So when a
// thread is over, the globals are searched for addresses of its stack, and a stack to which some lead is set aside
// (thread/free_slots.h). What is found before a move has been stored in the life of the thread that moves, then.
//
// A search that is left out costs a later thread a move, never its correctness. So it may be: threads that end within
// fractions of a microsecond shall not pay for it, nor shall programs with megabytes of globals. Each kernel thread has
// a credit of bytes to search, which each end increases a little, and each move by more; a search is made when it is
// covered. Once an address has been found, by any search before a move or at an end, the program is one that leaves
// addresses, and all searches are made. Nothing is searched in processes whose threads do not move.
//
// Rejected: remembering which words held which addresses when a thread began (the same address may be stored again
// meanwhile, by this thread); clearing the words (they are the program's, and may be numbers); a mark at each store of
// a pointer to a global (the stores are many, the threads that move few).
#ifndef SKEIN_MIGRATE_LEFTOVERS_H
#define SKEIN_MIGRATE_LEFTOVERS_H

namespace skein {

/// Threads may move from now on. Any kernel thread, any number of times.
void leftovers_start();
/// The globals have been searched, since a thread moves.
void leftovers_moving();
/// They held an address of a stack.
void leftovers_seen();

} // namespace skein

#endif
