// Ranges of shared memory that all nodes know: those at the same place in every slice (distributed arrays), and pages
// that the program maps, protects and unmaps.
//
// Each kind of change has a *leader*: node 0 for ranges of all slices, the owner for its pages. Whoever wants one asks
// the leader; the leader tells every node, waits until all have said that they have done it, and answers. So what one
// thread does all see when the call returns, as threads of one process see mmap (fifth seed, semantics I).
//
//     caller -- change -->  leader  -- range -->  every node: table, mprotect, pages given back
//            <-- reply --           <-- reply --
//
// Every node has the whole table, so that its owner's checks (access.h) and the protections of a slice that is mapped
// later are right. Nothing but the leader looks for room in it.
//
// A range that has been closed is free for the leader only when every node has said so; before that, nobody can be
// given it. Its pages were given back, so it is zeros again. A page that is not mapped is inaccessible in every
// process.
#ifndef SKEIN_DSM_RANGES_H
#define SKEIN_DSM_RANGES_H

#include "dsm/allocator.h"

#include <cstdint>

namespace skein {

void ranges_start();

/// Whether [address, address + bytes), of this node's slice and beyond its blocks, may be read or written; else `why`
/// says why not.
bool range_allows(uint64_t address, uint64_t bytes, bool write, Why &why);

} // namespace skein

#endif
