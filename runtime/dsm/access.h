// Access to shared memory: copies, fills and atomic operations. Where the slice is mapped they are done directly, and
// by messages to its owner elsewhere.
//
// Small accesses travel in parcels (parcels.h). A large one, or a copy from one node to another, is a *transfer*: a
// record of what is left to do and of who waits for it, a blocked thread or a pending handle. Each answer makes the
// transfer take its next step. So a large copy goes in pieces, a copy between two other nodes is a read and a write in
// turn, and no worker waits: the thread is blocked, and others run.
//
// The owner checks each access (owner.h). Accesses return nothing, so a thread whose access is refused ends: the reason
// is written to standard error, the thread's stack is unwound, and its locks are known to have lost their holder
// (sync/ending.h). Other threads go on. `main` cannot end without its program.
//
// Order: a put has been applied at the owner when it returns, and a get reads what is there when it arrives. So the
// accesses that a thread makes by messages are done one after the other. docs/memory-model.md says what that gives.
//
// Rejected: an error code in the thread (nobody would look at it); a signal (nothing is at that address here).
#ifndef SKEIN_DSM_ACCESS_H
#define SKEIN_DSM_ACCESS_H

#include "dsm/owner.h"
#include "thread/thread.h"

namespace skein {

enum class AccessKind : uint8_t { get, put, copy, set };

/// Begins a copy or a fill that no thread waits for. When it is done, `pending` ends with a code and words, and
/// done(argument) is called. The bytes to be written are copied now; the memory that a get writes to must stay.
void access_begin(AccessKind kind, uint64_t to, uint64_t from, uint64_t bytes, uint64_t pending, void (*done)(uint64_t),
                  uint64_t argument);

/// Ends `pending`, of an access that was begun, with this code and words about the access.
void access_begun_fails(uint64_t pending, int code, const char *what, uint64_t address, uint64_t bytes,
                        const char *why);

/// Reports that the access of `waiter`, which is blocked, was refused. The thread ends.
void access_fails(Thread *waiter, const char *what, uint64_t address, uint64_t bytes, const char *why);

/// The same for a thread that is not blocked yet. Called on a worker's stack; returns the thread to resume.
Thread *access_ended(Thread *self, const char *what, uint64_t address, uint64_t bytes, const char *why);

/// thread_block for an access to memory of another node, for which `self` waits.
void block_for(Thread *self, const char *call, uint64_t address);

} // namespace skein

#endif
