// Copies of shared memory of other nodes: acquire/release consistency for ranges that the program says to cache.
//
// A *line* is 512 bytes of a slice that is not mapped here, with a bit per byte in each of three sets:
//
//     have     as it was at the owner, in the acquire epoch of the line
//     dirty    written here, and not sent yet
//     flying   sent, and not acknowledged: still ours, whatever is fetched meanwhile
//
// Where the acquires and releases are. Not in the calls that synchronise, which are many, but where messages leave and
// arrive (net/wire/link.h): *nothing leaves this node that could tell another of a write before the write is at its
// owner, and whatever arrives makes copies stale.* So threads that move, ends that are told, semaphores, active
// messages and whatever else there will be are releases and acquires by construction; within a node threads share the
// copies. Only messages that carry no news of threads are *plain*: copies themselves, and what keeps the run together.
// What is not sent by messages, atomic operations on memory that is mapped, is announced by compiled code
// (abi/entry_points.h).
//
//     release   dirty -> flying, sent in runs of bytes; messages that were to leave wait here until all is acknowledged
//     acquire   epoch + 1: what was had before is stale. The owner is asked again when it is next read
//
// Invariants
//  * A byte that is dirty or flying is read from here. So a node sees its own writes, and false sharing merges.
//  * A line with flying bytes is not sent again before they are acknowledged: puts may overtake each other.
//  * What was fetched is kept only if no write to the line was made here, or reached its owner, since it was asked for
//    (`written`): the question may have overtaken it. And it belongs to the epoch in which it was asked for.
//  * A dirty or flying line is not evicted. Who finds no room to write starts a release and goes on after it.
//
// One lock: hits are a few dozen instructions. Rejected: invalidations from the owner (who would have to know all
// copies, and to wait for nodes that compute); ownership of pages (false sharing, and faults in the middle of code).
#ifndef SKEIN_DSM_CACHE_H
#define SKEIN_DSM_CACHE_H

#include "thread/thread.h"

namespace skein {

/// Of <skein/shared_cache.h>, SKEIN_CACHE_*.
enum class CacheMode : uint8_t { none, constant, through, back };

/// A read or write by message of `self`, on a worker's stack: if it is all in a cached range, it is done or under way,
/// and `next` is the thread to resume. Else false.
bool cache_read(Thread *self, uint64_t to, uint64_t from, uint64_t bytes, Thread *&next);
bool cache_write(Thread *self, uint64_t to, uint64_t from, uint64_t bytes, Thread *&next);

/// A release: true if nothing has to arrive anywhere; else done(context) is called when all has, perhaps before this
/// returns. An acquire.
bool cache_release(void (*done)(void *), void *context);
void cache_acquire();

/// Whether any of [begin, begin + bytes) is cached.
bool cache_covers(uint64_t begin, uint64_t bytes);

/// The mode of a range changes, on this node. What is dirty is at its owner before the next message leaves.
void cache_set(uint64_t begin, uint64_t bytes, CacheMode mode);

} // namespace skein

#endif
