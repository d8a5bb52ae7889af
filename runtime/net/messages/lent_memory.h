// Memory that is lent: a message of many bytes stays with its sender, which is blocked, and whoever gets it on another
// node of this host has the kernel copy it from there, once, and to where it belongs. By the transport it would be
// copied four times: into a message, into a ring between the nodes, out of it, and out of the message.
//
//     lender                                              borrower
//        |-- LentPlace: process, address of the record ------>|   in a message, in the place of the bytes
//        |                                                    |   is that record there, and meant for this node?
//     record: proof, bytes, address <------- copies ----------|   the address, then the bytes from there
//     bytes   <----------------------------- copies ----------|
//     record  <----------------------------- copies ----------|   the same address still? Else once more
//        |<------------------ the call is answered -----------|
//     takes the record back
//
// Invariants
//  * The lender keeps the bytes where the record says, unchanged, from the message until the answer. If their thread
//    is to move before that, they are copied first, then the record gets the address of the copy, and only then the
//    thread leaves. So a borrower that finds the record as it was, after it has copied, has copied what was sent
//    (docs/models/lending.pml).
//  * Whoever cannot read there says so, and is sent the bytes: on another host, where the system does not permit it, or
//    when the lender has died.
//  * The number of a process may be anybody's, and another one's when its process has ended. So the record begins with
//    what the messages of the lender to the borrower carry as their proof, which only nodes of this run can know, and
//    it is read again after the bytes. The borrower never reads its own process so.
//  * A borrower copies to memory of its own that was meant for these bytes, as many as the message has said.
//
// A thread that moves lends its stack and private memory in the same way (migrate/image.h). It is suspended, and
// nothing of it is freed, until its node knows what has become of it, so nothing changes and nothing is copied before;
// the record has the thread's id. All of it is read by one system call. A thread that could not be read would have to
// stay, so a node lends only to nodes that have said that they can read there: they are asked at the first wish
// (ReadableMessage).
#ifndef SKEIN_NET_MESSAGES_LENT_MEMORY_H
#define SKEIN_NET_MESSAGES_LENT_MEMORY_H

#include "migrate/image.h"
#include "net/wire/messages.h"

#include <cstddef>
#include <cstdint>

namespace skein {

// --- the lender -----------------------------------------------------------------------------------------------------

struct LentMemory;

/// Whether so many bytes are to be lent to the node, instead of sent.
bool memory_is_lent_to(int peer, size_t bytes);
/// The same, and it is known that the node can read them. Where it is not known the node is asked, and the answer is
/// that of a later call.
bool memory_is_read_by(int peer, size_t bytes);
/// Lends so many bytes of a thread's stack and private memory, which an image lists.
LentMemory *thread_lend(int peer, uint64_t thread, uint64_t bytes, LentPlace &place);
LentMemory *memory_lend(int peer, const void *data, size_t bytes, LentPlace &place);
/// The thread whose bytes these are is about to leave: they are copied.
void memory_keep(LentMemory &lent);
/// Nobody reads it any more. Null: nothing was lent.
void memory_back(LentMemory *lent);
/// The node cannot read memory of this process. From now on it is sent all bytes.
void memory_not_lent_to(int peer);

// --- the borrower ---------------------------------------------------------------------------------------------------

struct BorrowedMemory {
  int from;
  uint32_t life; // of this process, when it was borrowed: copies of the nodes are other processes
  LentPlace place;
};
BorrowedMemory memory_borrow(int from, const LentPlace &place);
/// Whether it can be read now.
bool borrowed_is_there(const BorrowedMemory &memory, size_t bytes);
/// Copies it. False: that is not possible, and some bytes may have been written.
bool borrowed_read(const BorrowedMemory &memory, void *to, size_t bytes);
/// The same of what an image lends; as Lender::read of migrate/image.h, whose `node` has just sent the image.
bool borrowed_pieces_read(int node, const ImageLent &lent, uint64_t thread, const LentPiece *pieces, size_t count);

void lent_memory_start();

} // namespace skein

#endif
