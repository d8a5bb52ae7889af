// Large regions that were released on a kernel thread lately, and are kept as they are for the next that is acquired
// there: to unmap one, and to touch each page of the next, takes a hundred times as long as to allocate it.
//
// They belong to the kernel thread, and not to the thread that had them: it takes nothing of them along when it moves,
// nobody looks for addresses in them, and a thread that waits holds no memory that it does not use. They are bounded in
// number and size, and a worker gives its own back before it sleeps, ends or halts.
//
// What lies in a spare region is undefined. Only this node's own regions are kept, since the owner of another one waits
// for the news that it is free; and none whose pages are tracked (private/paging).
#ifndef SKEIN_PRIVATE_REGIONS_SPARE_H
#define SKEIN_PRIVATE_REGIONS_SPARE_H

#include <cstddef>

namespace skein {

/// A spare region with as much address space as region_acquire would take for so many bytes; null: there is none.
void *spare_take(size_t bytes);
/// Keeps the region, of the size with which it was acquired, instead of releasing it. False: it has to be released.
bool spare_keep(void *begin, size_t bytes);
/// Gives those of this kernel thread back.
void spares_flush();

} // namespace skein

#endif
