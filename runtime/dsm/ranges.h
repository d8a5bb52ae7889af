// Ranges of shared memory that all nodes must know: those at the same place in every slice (distributed arrays), and
// pages that the program maps, protects and unmaps.
//
// Each kind of change has a *leader*: node 0 for ranges of all slices, and the keeper of a slice (slices.h) for its
// pages. A node that wants a
// change asks the leader. The leader tells every node, waits until all have said that they have made the change, and
// answers. So all threads see the change when the call returns, as threads of one process do after mmap (Hara
// and Taura, *Half-process*, semantics I).
//
//     caller -- change -->  leader  -- range -->  every node: table, mprotect, pages given back
//            <-- reply --           <-- reply --
//
// Every node has the whole table, because it needs it for the checks that it makes as a keeper (access.h) and for the
// protections of a slice that it maps later. Only the leader looks for free room in the table.
//
// The leader may give out a closed range again only when every node has said that it has closed it. Its pages were
// given back, so they read as zeros. A page that is not mapped is inaccessible in every process.
//
// A node leaves the run when no change that it leads is under way (ranges_change). All tables are the same then, so its
// heir has to be told nothing, and leads the changes of the pages from then on. When it begins to pass on contents of
// memory it makes no more changes (ranges_freeze): what a leader tells it from then on it leaves to its heir, which has
// the same table, and the leader goes on when the node has departed. So contents that are on their way to the heir are
// never those of a range that was closed, or closed and opened again, in the meantime; a leader makes one change at a
// time, and an array that is just being closed is cleared by the heir (ranges_adopt).
#ifndef SKEIN_DSM_RANGES_H
#define SKEIN_DSM_RANGES_H

#include "dsm/allocator.h"

#include <cstdint>

namespace skein {

void ranges_start();

/// Whether a newcomer is being told of the ranges that this node leads, so that a change of them may have to wait for
/// messages that do not count (net/run/newcomers.h). Any kernel thread.
bool ranges_inform();

/// Whether [address, address + bytes), which lies in one slice that this node keeps, behind the area of blocks, may be
/// read or written. If not, `why` says why.
bool range_allows(uint64_t address, uint64_t bytes, bool write, Why &why);

// How a node leaves, in handlers.
//
/// Whether a change that this node leads is under way, or waits.
bool ranges_change();
/// The first open range of this node's own slice that ends above `from`. False: there is none.
bool ranges_open(uint64_t from, uint64_t &begin, uint64_t &end);
/// This node is about to leave: it makes no changes any more, and all open ranges of its slice can be read.
void ranges_freeze();
/// This node keeps a slice from now on.
void ranges_adopt(int owner);

} // namespace skein

#endif
