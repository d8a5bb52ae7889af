// How accesses to memory of other nodes travel.
//
// Small ones, gets and puts of a few bytes and atomic operations, of several threads to one node travel together, in
// one message, a *parcel*. A node has at most one *open* parcel to each other node, which an access joins. It leaves
//
//     when it is full, and before a worker becomes idle;   (nobody is kept waiting who could be served)
//     at once, if another worker rests,                    (it could run the thread when the answer is there)
//     or if nobody has driven the transport lately;        (then there is not much company)
//     when the progress thread looks, some 200 us later;   (others compute for long)
//     with a copy that was started, when none is under way (its thread may compute for long).
//
// While a worker has threads to run, whose answer comes sooner or later makes no difference to it. Full is 32 accesses
// where sending a message takes some 100 ns, so that two parcels are under way in turn, and 128 where it is a system
// call.
//
// So an access that is alone leaves at once, and of 64 threads that do nothing else 32 or all share a message each way.
// The answer makes them all ready at once (threads_wake).
//
// A thread that is alone is not even switched away from: while no other is ready, its worker drives the transport in
// the middle of the thread's call, as it would do idly, and the answer is written to where it belongs inside of the
// transport. Only if that takes long, or somebody else is ready, the thread is blocked after all.
//
//     alone      send -- drive … answered? ------------------------------------------> goes on
//                           `--- no: blocked, until the answer comes
//     company    blocked, added to the open parcel -- leaves -- answer: all are woken
//
// Rejected: to wait for company where no thread is ready (who is alone pays); to send at once while none is under way
// (the first of 64 leaves alone, and over TCP each message costs as much as 50 accesses); a parcel for each worker
// (half as full with two of them; the lock costs less than a message).
#ifndef SKEIN_DSM_PARCELS_H
#define SKEIN_DSM_PARCELS_H

#include "dsm/allocator.h"
#include "net/messages/calls.h"
#include "net/wire/messages.h"
#include "thread/thread.h"

namespace skein {

void parcels_start();

/// An access to memory that is not mapped here.
struct RemoteAccess {
  ParcelWhat what;
  uint8_t operation; // SKEIN_ATOMIC_*; fill: the byte
  bool plain;        // it is no news of what threads did, and needs none (net/wire/messages.h)
  uint32_t bytes;    // not 0; at most parcel_access_most, or, alone in its parcel, copy_piece_most
  uint64_t address;
  uint64_t to;      // get: where the bytes go, perhaps on the thread's stack; operate: where what was there goes; or 0
  const void *data; // put: the bytes; operate: operand and expected value, parcel_word each

  uint32_t brings() const { // of data
    return what == ParcelWhat::put       ? bytes
           : what == ParcelWhat::operate ? 2 * static_cast<uint32_t>(parcel_word(bytes))
                                         : 0;
  }
  uint32_t gives() const {
    return what == ParcelWhat::get       ? bytes
           : what == ParcelWhat::operate ? static_cast<uint32_t>(parcel_word(bytes))
                                         : 0;
  }
};

/// Does a small one for `self`, on a worker's stack; returns the thread to resume. The result of a get or an operation,
/// its first 8 bytes, is the thread's.
Thread *parcel_access(Thread *self, const RemoteAccess &access);

/// A get or a put without a thread, as access_begin.
void parcel_begin(const RemoteAccess &access, uint64_t pending, void (*done)(uint64_t), uint64_t argument);

/// A parcel with this access alone. What it brings is copied now.
ParcelMessage *parcel_of(const RemoteAccess &access);
/// Sends it to call.peer. Its `finish` gets the answer, for parcel_done.
void parcel_send(ParcelMessage *message, bool plain, const Call &call);

/// How the access of such a parcel came out: `data` has what it gives; or a code, and why.
struct ParcelOutcome {
  int code;
  const char *data;
  char why[sizeof(Why::text)];
};
/// Whether it was done; `gives`: how many bytes it has to give.
bool parcel_done(const Call &call, const ReplyMessage *reply, size_t data_bytes, uint64_t gives,
                 ParcelOutcome &outcome);

} // namespace skein

#endif
