// What a node that leaves the run has of shared memory, and how its heir adopts it (net/run/leaving.h).
//
// The heir gets two kinds of pieces:
//
//     blocks   where blocks begin, and the key of their headers (allocator.h); at least one piece
//     pages    what is in the slice, where it is not a file that the heir maps itself
//
// and no ranges, since every node has the table of these (ranges.h). Pages come page by page, those that have only
// zeros are left out, and they are put in their places at once, in memory that nobody looks at before. With the last
// piece of the blocks the heir adopts the slice: it maps the slice for its threads, with the protections of the table,
// and then says that it keeps it. From here on accesses of its own threads are made directly, and messages for the
// slice that other nodes held back are handled as the owner would have done.
//
//     owner     frozen: no change of a range is made there, nothing is written
//                 | -- pages, blocks --> heir: staged
//     departed                           heir: mapped, protected, then slice_kept(owner)
//
// No write is lost. Nobody writes to the slice while it is copied: the owner has no threads, accesses by message are
// held back, and all that came before has been handled. Where processes map the same file, they go on reading and
// writing it, and only the checks of blocks and the lead of changes move. A message that the heir itself had begun to
// send to the owner comes back to it, and is handled there as any other, so the order in which its threads see what
// they wrote does not depend on when a thread learns that the slice is here: an access by message blocks its thread
// until it is made, and nothing of the slice is dirty in the heir's copies (cache.h).
#ifndef SKEIN_DSM_SLICE_ESTATE_H
#define SKEIN_DSM_SLICE_ESTATE_H

#include "net/run/leaving.h"

namespace skein {

void slice_estate_start();

extern EstatePart blocks_estate, pages_estate;

} // namespace skein

#endif
