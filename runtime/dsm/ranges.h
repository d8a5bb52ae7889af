// Ranges of shared memory that all nodes must know: those at the same place in every slice (distributed arrays), and
// pages that the program maps, protects and unmaps.
//
// Each kind of change has a *leader*: node 0 for ranges of all slices, and the owner for its pages. A node that wants a
// change asks the leader. The leader tells every node, waits until all have said that they have made the change, and
// answers. So all threads see the change when the call returns, as threads of one process do after mmap (Hara
// and Taura, *Half-process*, semantics I).
//
//     caller -- change -->  leader  -- range -->  every node: table, mprotect, pages given back
//            <-- reply --           <-- reply --
//
// Every node has the whole table, because it needs it for the checks that it makes as an owner (access.h) and for the
// protections of a slice that it maps later. Only the leader looks for free room in the table.
//
// The leader may give out a closed range again only when every node has said that it has closed it. Its pages were
// given back, so they read as zeros. A page that is not mapped is inaccessible in every process.
#ifndef SKEIN_DSM_RANGES_H
#define SKEIN_DSM_RANGES_H

#include "dsm/allocator.h"

#include <cstdint>

namespace skein {

void ranges_start();

/// Whether a newcomer is being told of the ranges that this node leads, so that a change of them may have to wait for
/// messages that do not count (net/run/newcomers.h). Any kernel thread.
bool ranges_inform();

/// Whether [address, address + bytes), which lies in this node's slice behind the area of blocks, may be read or
/// written. If not, `why` says why.
bool range_allows(uint64_t address, uint64_t bytes, bool write, Why &why);

} // namespace skein

#endif
