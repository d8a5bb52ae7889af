// The peers of this node, and what all parts of the link know of them, of messages and of each other. For those parts
// alone; others see link.h.
//
//     link.cpp            the transport below: it is loaded, driven and closed
//     link_hello.cpp      how peers come to know each other, and prove who they are
//     link_peers.cpp      the states of peers, and the counts of messages to and from them
//     link_receiving.cpp  what comes in
//     link_sending.cpp    what goes out
#ifndef SKEIN_NET_WIRE_LINK_PEER_H
#define SKEIN_NET_WIRE_LINK_PEER_H

#include "base/fifo.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/node.h"
#include "net/wire/link.h"
#include "net/wire/transport.h"
#include "trace/trace.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

struct Peer {
  std::atomic<bool> open;     // connected, and not dead
  std::atomic<bool> newcomer; // it has not been admitted yet, so it does not count as alive
  std::atomic<bool> known;    // its hello was right
  std::atomic<bool> rejected; // it has sent what cannot be
  bool forgotten;             // it died; perhaps before we were connected
  uint64_t proof_out;         // what our messages to it carry
  uint64_t proof_in;          // what its messages must carry
  // Of a peer with a smaller number, until its hello has come: a copy, with descriptors of its own.
  skein_transport_address address;
  HelloMessage hello;
  // Messages that matter, to and from it. Those for what a node keeps (goes_to_keeper) are counted apart: the node that
  // leaves has to know that it has handled all of them, and messages may overtake each other.
  std::atomic<uint64_t> sent, handled;
  std::atomic<uint64_t> sent_to_keeper, handled_as_keeper;
  std::atomic<uint64_t> answered;                      // at once; they are sent, too
  std::atomic<uint64_t> sent_besides, handled_besides; // messages that do not matter, but hellos and heartbeats
  std::atomic<Leaves> leaves;
  std::atomic<bool> silent;     // nothing goes there any more, since this node leaves
  std::atomic<uint16_t> traced; // the last number of a recorded message to it
};

/// The bit of Peer::sent_to_keeper that says that no more are sent.
inline constexpr uint64_t parted = UINT64_C(1) << 63;

extern Peer *peers; // by their numbers
extern const skein_transport *transport;
extern std::atomic<bool> link_is_shut; // nothing is sent or delivered

// --- which messages count, and as what -------------------------------------------------------------------------------

/// Whether a thread's next steps may depend on the message (link_traffic).
inline bool matters(uint8_t type) {
  switch (static_cast<MessageType>(type)) {
  case MessageType::hello:
  case MessageType::heartbeat:
  case MessageType::steal:
  case MessageType::nothing:
  case MessageType::policy:
  case MessageType::stealing:
  case MessageType::count:
  case MessageType::counted:
  case MessageType::quiet:
  case MessageType::trace_classes:
  case MessageType::clock:
  case MessageType::clock_told:
  case MessageType::informed:
  case MessageType::seal_key:
  case MessageType::farewell:
  case MessageType::coming:
  case MessageType::readable:
    return false;
  default:
    return true;
  }
}

/// Whether a message that does not matter is counted all the same (link_messages).
inline bool counts_besides(uint8_t type) {
  return type != static_cast<uint8_t>(MessageType::hello) && type != static_cast<uint8_t>(MessageType::heartbeat);
}

/// Whether the message is about something that its receiver keeps for others. Of the questions for the end of something
/// one is not: it names a call of the receiver itself.
inline bool is_about_kept(const MessageHeader &message) {
  return goes_to_keeper(message.type) &&
         (message.type != static_cast<uint8_t>(MessageType::await) ||
          reinterpret_cast<const AwaitMessage &>(message).what != static_cast<uint64_t>(AwaitWhat::answer));
}

/// Whether a peer that leaves must have handled all such messages that were sent to it.
inline bool is_for_keeper(const MessageHeader &message) {
  return is_about_kept(message) || message.type == static_cast<uint8_t>(MessageType::request);
}

/// Adds 1 to a count that only the driver changes, without a locked instruction.
inline void count_alone(std::atomic<uint64_t> &count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// --- link_hello.cpp --------------------------------------------------------------------------------------------------

extern bool link_came_late; // this node has come to a run that had begun

/// A hello has come from somebody who says that it is that peer.
void check_hello(Peer &peer, const HelloMessage &hello, size_t bytes);
/// The log says that a message was dropped, and why.
void dropped(const MessageHeader &header, const char *why);

/// Its descriptors are closed, or not this process's.
void forget_address(Peer &peer);

// --- link_receiving.cpp ----------------------------------------------------------------------------------------------

/// What the transport calls for a message that has arrived (skein_transport_setup).
int receive(void *, int from, void *message, size_t bytes);
int at_once(void *, int from, const void *message, size_t bytes, skein_transport_answer *reply);
extern void (*after_each)(); // called by the kernel thread that drives
/// Handles messages of this node to itself. To be called by who drives. Returns how many there were.
unsigned handle_own();

/// A message as a word of an event.
inline uint32_t trace_message(const MessageHeader &header) { return uint32_t{header.type} << 16 | header.trace; }

// --- link_sending.cpp ------------------------------------------------------------------------------------------------

/// A message that waits in this process.
struct QueuedMessage {
  QueuedMessage *next;
  MessageHeader *message;
  size_t bytes;
  bool plain;
};

extern SpinLock waiting_lock;            // for all of them
extern Fifo<QueuedMessage> own_messages; // messages of this node to itself
extern std::atomic<bool> own_waits;

[[gnu::cold, gnu::noinline]] void trace_sent(int to, Peer &peer, MessageHeader *message, size_t bytes);
/// Completes the header of a message to `peer`.
inline void seal(int to, Peer &peer, MessageHeader *message, size_t bytes, bool plain) {
  message->version = message_version;
  message->from = static_cast<uint16_t>(node.self);
  message->plain = plain;
  message->trace = 0;
  trace_time_passes();
  if (trace_on(TraceClass::messages))
    trace_sent(to, peer, message, bytes);
  message->proof = peer.proof_out ^ (knobs.fault == Fault::proof);
}

} // namespace skein

#endif
