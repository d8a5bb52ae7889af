// Relocation stress moves threads inside of one process, where memory outside of the threads is still reachable after a
// move: the heap, and the variables of the C library.
//
// A block from malloc may hold the address of a local variable, and so may a variable of a library (optarg, or strtok's
// position). Nothing says which word of the block it is, so it cannot be relocated, and a thread that follows the
// address after a move reaches the stack it left. A thread that leaves the process is not in this danger: it cannot
// take a pointer to the block along (check.h), and the library functions that keep addresses are known (library.cpp).
// Under stress the thread stays in this process and meets its own old addresses again. So both are searched before each
// move, and a move that would make an address stale is refused.
//
// The search is conservative: an integer, or a freed block, may look like an address of the stack and refuse a move.
//
// malloc is asked to use the program break only (one arena, no mappings of its own), so that the heap is one range that
// can be searched.
//
// Rejected: a write barrier in compiled code (most stores of pointers would pay for it, and memcpy would bypass it).
#ifndef SKEIN_MIGRATE_OUTSIDE_H
#define SKEIN_MIGRATE_OUTSIDE_H

#include "migrate/refusal.h"
#include "thread/thread.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

// Called once, before the first search. Libraries that are loaded later are not searched.
void outside_start();

// The program changed the protection of the pages there. If they belong to the heap, the heap can no longer be
// searched, and no thread moves.
void outside_changed(uintptr_t address);

// Whether neither the libraries' variables nor the first `most` bytes of the heap hold an address in [begin, end).
// `*skipped` tells how many bytes of the heap lie behind those. If a heap block holds such an address, it is returned
// in `*address`.
bool check_outside(uintptr_t begin, uintptr_t end, size_t most, size_t *skipped, uintptr_t *address, Refusal &why);

// The same check for the live part of a thread's stack. The refusal names the frame to which a heap block leads.
bool outside_allows(const Thread &thread, size_t most, size_t *skipped, Refusal &why);

} // namespace skein

#endif
