// Messages between nodes: they have types, are authenticated, and are dispatched to handlers. The link lies above the
// transport and below every protocol of room net.
//
// Vocabulary. To *drive* is to move the transport's traffic and to run the handlers of the messages that arrived. The
// progress thread drives when it is woken, and workers drive while they wait for a message.
//
// Invariants
//  * Handlers run one at a time in the whole process (`drive` is exclusive), on a kernel thread, never on a thread's
//    stack. They may send, and may make threads ready; they never wait.
//  * A message that a handler gets is authenticated: its sender is the node that it claims to be. And it has passed the
//    check of its kind (messages.h), in one place, before any handler. The handler itself checks what depends on this
//    node's state.
//  * A peer that sends what cannot be right is *rejected*: the log says what was wrong, nothing else from it is
//    handled, and membership has it killed. So a damaged peer ends as a dead one does, not with this node's assertion
//    or fault.
//  * Some messages are handled *at once* (link_handle_at_once): inside of the transport, where they lie. They are
//    questions that are answered by looking at memory, or the answers to such questions. All of the above holds for
//    them, too, but their handlers wake no thread, and send nothing but the answer.
//  * `send` never blocks and never fails: a message to a dead or closed peer is dropped. Membership finishes the calls
//    that wait for its answer.
#ifndef SKEIN_NET_WIRE_LINK_H
#define SKEIN_NET_WIRE_LINK_H

#include "net/wire/messages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

struct skein_transport_address;

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

/// The answer to a message that is handled at once: a message from message_new, for its sender, or null.
struct Answer {
  MessageHeader *message;
  size_t bytes;
};
/// Is called before the message's other handler, except where an answer might have to wait for writes (link_hold).
/// True: the message has been handled. False: nothing has been done. The handler must not keep the message.
using AtOnceHandler = bool (*)(const Arrival &, Answer &);
void link_handle_at_once(MessageType type, AtOnceHandler handler);
template <CheckedMessage T> void link_handle_at_once(AtOnceHandler handler) { link_handle_at_once(T::type, handler); }

/// The peer has sent a message of that type which contradicts what this node knows. The log says so, nothing that the
/// peer sends is handled any more, and it will be treated as dead (`link_rejected`). To be called in a handler, also in
/// one that runs at once.
void link_reject(int peer, MessageType type, const char *format, ...) __attribute__((format(printf, 3, 4), cold));
/// Set by membership: called once for a peer that was rejected, with the reason that others are to hear.
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
/// A message for what a node has kept that has left the run goes to that node's heir, which may be this node.
///
/// Sends a message from message_new, or any block from malloc that begins with a header whose type is set. The message
/// belongs to the link from here on. `plain`: it carries no news of what threads did, so it is not held back, and does
/// not make copies stale where it arrives.
void link_send(int to, MessageHeader *message, size_t bytes, bool plain = false);
template <class T> void link_send(int to, T *message, size_t data_bytes = 0, bool plain = false) {
  link_send(to, &message->header, sizeof(T) + data_bytes, plain);
}
/// The same for a message whose memory the caller wants to use again. False: the caller has it back; true: it belongs
/// to the link.
bool link_lend(int to, MessageHeader *message, size_t bytes, bool plain = false);
/// Set by room dsm. `link_hold` is called for each message that is not plain before it is sent; true: it has taken the
/// message, and calls link_send_past later. `link_entered` is called before such a message is handled.
extern bool (*link_hold)(int to, MessageHeader *message, size_t bytes);
extern void (*link_entered)();
void link_send_past(int to, MessageHeader *message, size_t bytes);
/// Set by room dsm, to be asked in a handler before link_part, until it is true. False: writes to what the peer keeps
/// are under way, and must arrive before messages like them are held back: other messages wait for them (link_hold).
extern bool (*link_may_part)(int peer);
/// A message without data.
template <class T, class... Fields> void link_tell(int to, Fields... fields) {
  auto *message = static_cast<T *>(message_memory(sizeof(T)));
  *message = T{{MessageHeader{message_version, static_cast<uint8_t>(T::type), 0, 0, 0, 0}}, fields...};
  link_send(to, &message->header, sizeof(T));
}

/// Drives. Looks at the transport up to `looks` times, until something happens, and returns how much did. Without
/// `wait` it gives up if another kernel thread drives. `handled` is called after each message for which a handler was
/// called.
unsigned link_drive(bool wait, unsigned looks = 1, void (*handled)() = nullptr);

/// Runs function(context) as a handler, while no other handler runs. Waits for one that does; within a handler it calls
/// the function at once.
void link_exclusive(void (*function)(void *), void *context);

/// Loads the transport library and opens it, or ends the process with a message. link_address: for the launcher.
/// `comes_late`: this node comes to a run that has begun.
void link_open(const char *library, bool comes_late);
/// In a process that was made of a copy of another's memory: forgets all connections, without touching them, and opens
/// the transport anew. Peers that were there are met again (link_meet); which have died or left, and all counts, stay
/// as they were. No other kernel thread exists.
void link_reopen();
skein_transport_address link_address();
/// Begins to connect to a peer. link_hello tells when the peer has said hello. A newcomer to a run that has begun is
/// not alive before it has been admitted, by link_admit or by the first message of it that counts and is no answer: it
/// begins when node 0 has admitted it.
void link_meet(int peer, const skein_transport_address &address, bool newcomer = false);
void link_admit(int peer);
/// A number that no node has any more, or that none will get.
void link_gone(int peer);
/// Set by the progress thread, which is to drive: a message of this node to itself waits (link_send).
extern void (*link_own_waits)();
/// Set by newcomers.cpp, and called in a handler: a newcomer has said hello; a newcomer was admitted.
extern void (*link_met)(int peer);
extern void (*link_admitted)(int peer);
/// For sleeping until something arrives, as the transport's functions of these names.
int link_wait_fd();
int link_arm();

/// Called as a handler when the transport has lost a peer that has not been forgotten; membership sets it.
extern void (*link_lost)(int peer, const char *why);

/// What a peer's messages to this node carry to prove who sent them, and this node's to the peer.
uint64_t link_proof_of(int peer);
uint64_t link_proof_to(int peer);

bool link_alive(int peer);
/// Whether messages can be sent there: the peer is alive, or a newcomer that has not been admitted.
bool link_reaches(int peer);
/// Whether the peer is alive and stays: threads and other things may be sent there that are to stay there.
bool link_takes(int peer);
/// Whether the peer still answers questions that leave nothing there.
bool link_hears(int peer);
/// Whether there is somebody who keeps what node `number` has kept for others: that node, or its heir.
bool link_keeps(int number);
/// Why link_takes is false, in words that follow the node's name ("is dead", "has left the run"), and as a code.
const char *link_state(int peer);
int link_state_code(int peer);

// How a peer leaves (net/run/leaving.h). All of it in a handler.
//
/// Nothing new goes there any more (link_takes), nor do questions (link_hears); or all may again.
enum class Leaves : uint8_t { stays, drains, parts };
void link_leaves(int peer, Leaves leaves);
/// Messages for what the peer keeps (goes_to_keeper), and requests, are held back from here on. Returns how many of
/// them were sent before. What is held back counts as sent, so that the run is not at rest.
uint64_t link_part(int peer);
/// Set by active.cpp: a request was sent to a peer that was about to leave, and has left.
extern void (*link_undelivered)(const MessageHeader *request);
/// What the peer has kept is its heir's from here on: the messages that were held back go there, as all later ones
/// will.
void link_inherit(int peer);
/// How many of the messages that a peer has sent as to a keeper were handled here, and how many of all that count.
struct Handled {
  uint64_t as_keeper, all;
};
Handled link_handled(int peer);
/// This node leaves: nothing that counts is sent to the peer any more. Returns how many messages were sent before.
uint64_t link_fall_silent(int peer);
/// The peer is dead, or has left and all of its messages are handled: drops what is on its way there, and all that
/// still comes from it.
void link_forget(int peer);
/// Nothing is sent any more and nothing is delivered. Waits for a handler that runs, unless it is the caller.
void link_shut();
/// In the child of a fork: the transport belongs to the parent. Takes no lock, and touches nothing that the parent
/// uses.
void link_abandon();
/// For fault=reborn, before link_reopen: closes what the process still has of the transport, without a word.
void link_close_descriptors();
/// Closes the transport. After link_shut.
void link_close();
/// The process ends by exit() while other kernel threads go on. As link_shut, and no kernel thread enters the transport
/// any more.
void link_leave();

/// How many messages this node has sent and handled so far, to and from living nodes. Messages on which no thread's
/// next steps depend do not count: those of membership and termination, and requests for threads (the threads that
/// answer them count).
struct Traffic {
  uint64_t sent, handled;
  /// Which nodes are there, as this node knows it: a number that only grows, and that is equal on two nodes only if
  /// both know the same. The launcher tells of all changes in one order (and who learns of an arrival from the newcomer
  /// itself knows no more than node 0).
  uint64_t view;
  int nodes; // that are alive, this one included
};
Traffic link_traffic();

/// All messages but hellos and heartbeats that this node has sent to, and handled of, the nodes that it reaches, those
/// to itself included. For the cut of a checkpoint (net/run/halting.h).
struct Messages {
  uint64_t sent, handled;
};
Messages link_messages();
/// Whether a newcomer has connected and is not admitted yet.
bool link_has_newcomer();

/// Whether the peer runs the same build of the program: has the same handlers.
bool link_same_build(int peer);

/// Whether the peer had its program and libraries, when it said hello, where this node has them now.
bool link_same_modules(int peer);

/// A living node other than this one, chosen by `random`; -1 if there is none.
int link_random_peer(uint32_t random);
/// What `peer` said in its hello; false before that.
bool link_hello(int peer, HelloMessage &hello);

} // namespace skein

#endif
