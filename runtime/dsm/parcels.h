// A message costs as much as dozens of small accesses. So small accesses of several threads to one node (gets and puts
// of a few bytes, and atomic operations) travel together in one message, a *parcel*.
//
// A node has at most one *open* parcel to each other node, and a new access is added to it. The parcel is sent
//
//     when it is full, and before a worker becomes idle,    (then nothing else can be done for its threads)
//     at once if another worker is idle,                    (it could run the thread as soon as the answer is there)
//     at once if the progress thread will not look soon,    (then nobody else would send it)
//     when the progress thread looks, some 200 us later,    (all workers compute for long)
//     at once for a copy that a thread started and does not wait for, if no other parcel is under way.
//
// While a worker has threads to run, it does not matter to it when the answer comes. A parcel is full with 32 accesses
// where sending a message takes some 100 ns, so that two parcels are under way in turn, and with 128 where sending is a
// system call.
//
// So 64 threads that do nothing but access shared memory share one or two messages each way. The answer makes them all
// ready at once (threads_wake).
//
// A thread that is the only one to run is not even switched away from. Its worker drives the transport in the middle of
// the thread's call, as it would do while idle, and the handler of the answer writes the result to where it belongs.
// The thread is blocked only if that takes long, or if another thread becomes ready.
//
//     in place   send -- drive ... answered? ------------------------------------------> the thread goes on
//                           `--- no: blocked until the answer comes
//     in parcel  blocked, added to the open parcel -- sent -- answer: all its threads are woken
//
// Rejected: waiting for more accesses where no thread is ready (a thread that is alone would pay for it); sending at
// once while no parcel is under way (the first of 64 accesses would be sent alone, and over TCP each message costs as
// much as 50 accesses); a parcel for each worker (two workers would send parcels half as full, and the lock costs less
// than a message).
#ifndef SKEIN_DSM_PARCELS_H
#define SKEIN_DSM_PARCELS_H

#include "dsm/allocator.h"
#include "net/messages/calls.h"
#include "net/wire/messages.h"
#include "thread/thread.h"

namespace skein {

void parcels_start();

/// An access to memory of another node that is not mapped in this process.
struct RemoteAccess {
  ParcelWhat what;
  uint8_t operation; // SKEIN_ATOMIC_*; fill: the byte
  bool plain;        // it neither carries news of what threads did nor needs such news (net/wire/messages.h)
  uint32_t bytes;    // 1 to parcel_access_most, or to copy_piece_most for an access that is alone in its parcel
  uint64_t address;
  uint64_t to;      // get: where the bytes go, perhaps on the thread's stack; operate: where the old value goes, or 0
  const void *data; // put: the bytes; operate: operand and expected value, parcel_word each

  /// How many bytes of `data` go with the request.
  uint32_t request_bytes() const {
    return what == ParcelWhat::put       ? bytes
           : what == ParcelWhat::operate ? 2 * static_cast<uint32_t>(parcel_word(bytes))
                                         : 0;
  }
  /// How many bytes the answer has if the access was made.
  uint32_t result_bytes() const {
    return what == ParcelWhat::get       ? bytes
           : what == ParcelWhat::operate ? static_cast<uint32_t>(parcel_word(bytes))
                                         : 0;
  }
};

/// Makes a small access for `self`, on a worker's stack, and returns the thread to resume. The thread's call returns
/// the first 8 bytes of what a get or an operation found.
Thread *parcel_access(Thread *self, const RemoteAccess &access);

/// Begins a get or a put that no thread waits for. The arguments are those of access_begin.
void parcel_begin(const RemoteAccess &access, uint64_t pending, void (*done)(uint64_t), uint64_t argument);

/// A parcel with this access alone. Its data are copied now.
ParcelMessage *parcel_of(const RemoteAccess &access);
/// Sends the message to call.peer, or its heir. The call's `finish` gets the answer, and decodes it with parcel_done.
void parcel_send(ParcelMessage *message, bool plain, const Call &call);

/// What became of an access: code 0 and its result in `data`, or an error code and the reason in words.
struct ParcelOutcome {
  int code;
  const char *data;
  char why[sizeof(Why::text)];
};
/// Decodes the answer to a parcel with one access. True if the access was made; its result has `result_bytes` bytes.
bool parcel_done(const Call &call, const ReplyMessage *reply, size_t data_bytes, uint64_t result_bytes,
                 ParcelOutcome &outcome);

} // namespace skein

#endif
