// Access to shared memory: copies, fills and atomic operations, done directly where the slice is mapped, by messages to
// the owner elsewhere.
//
// What is small travels in parcels (parcels.h). What is large, or goes from node to node, is a *transfer*: a record
// that knows what is left to do and who waits for it, a blocked thread or a pending handle. Each answer makes it take
// its next step, so a large copy goes in pieces, a copy between two other nodes is a read and a write in turn, and no
// worker is ever held up: its thread is blocked, and others run.
//
// The owner checks each access (owner.h). Accesses return nothing, so a thread whose access is refused ends: it is told
// on standard error, its stack is unwound, its locks are known to have lost their holder (sync/ending.h). Other threads
// go on. `main` cannot end without its program.
//
// Order. A put has been applied at the owner when it returns, a get reads what is there when it arrives: a thread's
// accesses by messages are done one after the other. docs/memory-model.md says what that gives.
//
// Rejected: an error code in the thread that nobody looks at; a signal (there is nothing at that address here).
#ifndef SKEIN_DSM_ACCESS_H
#define SKEIN_DSM_ACCESS_H

#include "dsm/owner.h"
#include "thread/thread.h"

namespace skein {

enum class AccessKind : uint8_t { get, put, copy, set };

/// Copy or fill without a thread: when it is done, `pending` ends with a code and words, and done(argument) is called.
/// What is to be written is copied now; where it is read to must stay where it is.
void access_begin(AccessKind kind, uint64_t to, uint64_t from, uint64_t bytes, uint64_t pending, void (*done)(uint64_t),
                  uint64_t argument);

/// `pending`, a copy that was started, ends with this code and words about it.
void access_begun_fails(uint64_t pending, int code, const char *what, uint64_t address, uint64_t bytes,
                        const char *why);

/// `waiter`, blocked, made an access that cannot be: it is told so and ends.
void access_fails(Thread *waiter, const char *what, uint64_t address, uint64_t bytes, const char *why);

/// The same for one that is not blocked yet, on a worker's stack; returns the thread to resume.
Thread *access_ended(Thread *self, const char *what, uint64_t address, uint64_t bytes, const char *why);

} // namespace skein

#endif
