// Memory outside of the threads, under relocation stress: the heap and the variables of the C library.
//
// A block from malloc may hold the address of a local variable, and so may a library's variable (optarg, strtok's
// place). Nothing says where in the block, so it cannot be relocated, and a thread that follows the address after a
// move lands on the stack it left. When a thread leaves the process that is no danger to it: it cannot take a pointer
// to the block along (check.h), and the library functions that keep addresses are known (library.cpp). Under stress it
// stays in this process and meets its own old addresses again. So there both are searched before each move, and a move
// that would make an address stale is refused.
//
// The search is conservative: an integer, or a freed block, may look like an address of the stack and refuse a move.
//
// So that the heap is one range that can be searched, malloc is asked to use the program break only (one arena, no
// mappings of its own).
//
// Rejected: a write barrier in compiled code (most stores of pointers would pay for it, and memcpy would pass it by).
#ifndef SKEIN_MIGRATE_OUTSIDE_H
#define SKEIN_MIGRATE_OUTSIDE_H

#include "migrate/refusal.h"
#include "thread/thread.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

// Once, before the first search. Libraries loaded later are not searched.
void outside_start();

// The program changed what may be done with the pages there. If they are the heap's, it is searched no more: no thread
// moves.
void outside_changed(uintptr_t address);

// Whether neither the libraries' variables nor the first `most` bytes of the heap hold an address in [begin, end).
// `*skipped` tells how many bytes of the heap lie behind those. If a heap block does, `*address` is what it holds.
bool check_outside(uintptr_t begin, uintptr_t end, size_t most, size_t *skipped, uintptr_t *address, Refusal &why);

// The same of the live part of a thread's stack; the refusal names the frame to which a heap block leads.
bool outside_allows(const Thread &thread, size_t most, size_t *skipped, Refusal &why);

} // namespace skein

#endif
