// Copies of shared memory of other nodes: a program may say that ranges are to be cached. Reads of them are then local,
// writes are collected, and the memory model is acquire/release consistency.
//
// A *line* is 512 bytes of a slice that is not mapped here, with a bit for each byte in each of three sets:
//
//     have     the byte is as it was at the owner, in the acquire epoch of the line
//     dirty    the byte was written here, and was not sent yet
//     flying   the byte was sent, and the owner has not acknowledged it: ours is newer than what is fetched meanwhile
//
// Acquires and releases are not in the calls that synchronise, of which there are many, but where messages are sent and
// arrive (net/wire/link.h): *no message that could tell another node of a write is sent before the write is at its
// owner, and each message that arrives makes copies stale.* So threads that move, ends that are reported, semaphores,
// active messages and all that will be added are releases and acquires by construction. Within a node threads share the
// copies. Only messages that carry no news of what threads did are *plain*: those of this file, and those that keep the
// run together. Atomic operations on mapped memory send no message; compiled code announces them
// (abi/entry_points.h).
//
//     release   dirty bytes are sent in runs, and become flying; messages wait here until all is acknowledged
//     acquire   the epoch is counted up: `have` of lines of an earlier epoch is stale, and the next read asks the owner
//
// Invariants
//  * A byte that is dirty or flying is read from here. So a node sees its own writes, and false sharing merges.
//  * A line with flying bytes is not sent again before they are acknowledged, since puts may overtake each other.
//  * Fetched bytes are kept only if no write to their line was made here, and none reached its owner, since they were
//    asked for (`written`): the question may have overtaken the write. They belong to the epoch in which they were
//    asked for.
//  * A dirty or flying line is not evicted. A writer that finds no room starts a release and goes on after it.
//
// When the owner leaves the run (net/run/leaving.h), messages to the keeper of its slice are held back until the heir
// has it. A release that waited for writes to that slice would hold back all messages of this node meanwhile, also
// those without which the owner cannot leave. So before this node parts from the owner, all writes to the slice are
// there, and later ones are made through (cache_settle). Copies stay good as before; only the heir needs none any more,
// since it reads and writes the slice itself (cache_adopt). On the node that leaves, nothing is dirty or flying when it
// passes on what it keeps (cache_remains).
//
// All of it is under one lock: a hit is a few dozen instructions.
//
// Rejected: invalidations from the owner (it would have to know all copies, and to wait for nodes that compute);
// ownership of pages (false sharing, and faults in the middle of code).
#ifndef SKEIN_DSM_CACHE_H
#define SKEIN_DSM_CACHE_H

#include "thread/thread.h"

namespace skein {

/// Of <skein/shared_cache.h>, SKEIN_CACHE_*.
enum class CacheMode : uint8_t { none, constant, through, back };

/// A read or write by `self` of memory that was not mapped here a moment ago. If all of it is in a cached range, it is
/// done or under way, and `next` is the thread to resume. Else nothing has happened, and false is returned. On a
/// worker's stack.
bool cache_read(Thread *self, uint64_t to, uint64_t from, uint64_t bytes, Thread *&next);
bool cache_write(Thread *self, uint64_t to, uint64_t from, uint64_t bytes, Thread *&next);

/// A release. True: all writes are at their owners. False: done(context) is called when they are, perhaps before this
/// returns. cache_acquire is an acquire.
bool cache_release(void (*done)(void *), void *context);
void cache_acquire();

/// Whether any of [begin, begin + bytes) is cached.
bool cache_covers(uint64_t begin, uint64_t bytes);

/// Changes the mode of a range on this node. What is dirty in it is at its owner before the next message is sent.
void cache_set(uint64_t begin, uint64_t bytes, CacheMode mode);

// How a node leaves.
//
/// Before messages to the keeper of this slice are held back: from the first call on, no byte of it becomes dirty here,
/// and when it returns true none is dirty or flying. False: some are under way, and it is to be asked again.
bool cache_settle(int owner);
/// This node keeps the slice from here on (slice_kept), and makes no copies of it any more. All else is in its place.
void cache_adopt(int owner);
/// On the node that leaves: whether writes are not at their owners yet. They are sent.
bool cache_remains();

/// Calls function(begin, end, mode) for each range that has a mode. Under the lock of the copies.
void cache_each(void (*function)(void *context, uint64_t begin, uint64_t end, CacheMode mode), void *context);

} // namespace skein

#endif
