// Messages between nodes: typed, authenticated, dispatched. Above the transport, below every protocol of this room.
//
// Vocabulary. To *drive* is to move the transport's traffic and run the handlers of what arrived. The progress thread
// drives when it is woken, workers drive while they wait for something.
//
// Invariants
//  * Handlers run one at a time in the whole process (`drive` is exclusive), on a kernel thread, never on a thread's
//    stack. They may send, and may make threads ready; they never wait.
//  * What a handler sees is authenticated: its sender is the node it claims to be. And it has passed the check of its
//    kind (messages.h), in one place, before any handler; what depends on this node's state the handler checks itself.
//  * Whoever sends what cannot be right is *rejected*: the log says what was wrong, nothing of it is heard any more,
//  and
//    membership has it killed. So a damaged peer ends as a dead one does, not with this node's assertion or fault.
//  * What is handled *at once* (link_handle_at_once) is a question that is answered by looking at memory, or the answer
//    to one: it is handled inside the transport, in place. The same holds for it; but it wakes no thread, and sends
//    nothing but its answer.
//  * `send` never blocks and never fails: to a dead or closed peer it drops. Who waits for an answer is told by
//    membership.
#ifndef SKEIN_NET_WIRE_LINK_H
#define SKEIN_NET_WIRE_LINK_H

#include "net/wire/messages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace skein {

/// A message that arrived. `data` is what follows the body.
struct Arrival {
  int from;
  void *message; // from malloc, perhaps of a larger block; set to null to keep it
  size_t bytes;

  template <class T> const T &body() const { return *static_cast<const T *>(message); }
  template <class T> const void *data() const { return static_cast<const char *>(message) + sizeof(T); }
  template <class T> size_t data_bytes() const { return bytes - sizeof(T); }
};

using MessageHandler = void (*)(Arrival &);
/// What the link knows of a kind of message, besides its handler.
struct MessageKind {
  MessageType type;
  size_t body_bytes;
  bool (*check)(const void *message, size_t data_bytes, Complaint &wrong);
};
template <CheckedMessage T>
inline constexpr MessageKind message_kind = {T::type, sizeof(T),
                                             [](const void *message, size_t bytes, Complaint &wrong) {
                                               return T::check(*static_cast<const T *>(message), bytes, wrong);
                                             }};
void link_handle(const MessageKind &kind, MessageHandler handler);
template <CheckedMessage T> void link_handle(MessageHandler handler) { link_handle(message_kind<T>, handler); }

/// In answer to what is handled at once: a message from message_new, to its sender; or null.
struct Answer {
  MessageHeader *message;
  size_t bytes;
};
/// Tried before the message's other handler, where nothing may have to wait for writes (link_hold). True: handled.
/// False: nothing has been done. The arrival's message is not to be kept.
using AtOnceHandler = bool (*)(const Arrival &, Answer &);
void link_handle_at_once(MessageType type, AtOnceHandler handler);
template <CheckedMessage T> void link_handle_at_once(AtOnceHandler handler) { link_handle_at_once(T::type, handler); }

/// The peer has sent what cannot be: a message of that type which contradicts what this node knows. The log says so,
/// nothing that it sends is handled any more, and it will be treated as dead (`link_rejected`). In a handler, also in
/// one that runs at once.
void link_reject(int peer, MessageType type, const char *format, ...) __attribute__((format(printf, 3, 4), cold));
/// Membership's: is told so once a peer, with the words that others are to hear.
extern void (*link_rejected)(int peer, const char *why);
/// Whether no node has died so far. After a death, answers may still come that nobody waits for any more.
bool link_all_alive();

/// A message of type T with room for `data_bytes` behind it. Ends the process without memory.
void *message_memory(size_t bytes);
template <class T> T *message_new(size_t data_bytes = 0) {
  auto *message = static_cast<T *>(message_memory(sizeof(T) + data_bytes));
  message->header.type = static_cast<uint8_t>(T::type);
  return message;
}
/// Send a message from message_new, or any malloc'ed block that begins with a header whose type is set. Takes it over.
/// `plain`: it is no news of what threads did, and is neither held nor does it make copies stale.
void link_send(int to, MessageHeader *message, size_t bytes, bool plain = false);
template <class T> void link_send(int to, T *message, size_t data_bytes = 0, bool plain = false) {
  link_send(to, &message->header, sizeof(T) + data_bytes, plain);
}
/// The same of a message that the caller wants back, to write the next one there. False: he has it; true: it has been
/// taken over.
bool link_lend(int to, MessageHeader *message, size_t bytes, bool plain = false);
/// Room dsm's. If set, `link_hold` is asked for each message that may tell another node of what threads did: true, it
/// has taken it, and calls link_send_past later; `link_entered` is called before one is handled.
extern bool (*link_hold)(int to, MessageHeader *message, size_t bytes);
extern void (*link_entered)();
void link_send_past(int to, MessageHeader *message, size_t bytes);
/// A message without data.
template <class T, class... Fields> void link_tell(int to, Fields... fields) {
  auto *message = static_cast<T *>(message_memory(sizeof(T)));
  *message = T{{MessageHeader{message_version, static_cast<uint8_t>(T::type), 0, 0, 0}}, fields...};
  link_send(to, &message->header, sizeof(T));
}

/// Drive. `wait` = false: give up if somebody else is driving. Returns how much happened. Looks up to `looks` times for
/// something to happen. `handled` is called after each message that a handler was called for.
unsigned link_drive(bool wait, unsigned looks = 1, void (*handled)() = nullptr);

/// Run function(context) as a handler: no other one runs meanwhile. Waits for one that does; in a handler, at once.
void link_exclusive(void (*function)(void *), void *context);

/// Load the transport library and open it; exits with a message if that fails. Address for the bootstrap.
void link_open(const char *library);
const void *link_address(size_t *bytes);
/// Begin to get acquainted with a peer; `link_hello` tells when it has introduced itself.
void link_meet(int peer, const void *address, size_t bytes);
/// For sleeping; as the transport's.
int link_wait_fd();
int link_arm();

/// Called as a handler when the transport has lost a peer that has not been forgotten; membership sets it.
extern void (*link_lost)(int peer, const char *why);

bool link_alive(int peer);
/// The peer is dead: drop what is on its way there and whatever still comes from it.
void link_forget(int peer);
/// Nothing is sent any more and nothing is delivered. Waits for a handler that runs, unless it is the caller.
void link_shut();
/// In the child of a fork: the transport is the parent's. Takes no lock, touches nothing of it.
void link_abandon();
/// Close the transport; after link_shut.
void link_close();
/// The process ends by exit() while other kernel threads go on: as link_shut, and nobody enters the transport any more.
void link_leave();

/// Messages sent from this node and handled on it so far, to and from living nodes. Left out are those on which it does
/// not depend what any thread does next: of membership, of termination, and questions for threads (the threads that
/// answer them count).
struct Traffic {
  uint64_t sent, handled;
  uint64_t dead; // nodes
};
Traffic link_traffic();

/// Whether the peer runs the same build of the program: has the same handlers.
bool link_same_build(int peer);

/// Other than this one, still alive; -1 if there is none. `random` says which.
int link_random_peer(uint32_t random);
/// What `peer` said in its hello; false before that.
bool link_hello(int peer, HelloMessage &hello);

} // namespace skein

#endif
