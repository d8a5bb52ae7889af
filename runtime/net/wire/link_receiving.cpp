// What arrives: it is checked, and handled; see link_peer.h.
//
// What is authenticated is judged in one place, `wrong_with`, before any handler sees it: by the header, the size, and
// the check of its kind. A peer whose message fails is rejected. So is one whose message a handler rejects. From then
// on nothing from it is handled; the peer stays open until membership has buried it, so that all that waits for it
// fails in one way.
#include "base/assert.h"
#include "base/log.h"
#include "net/wire/link_peer.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace skein {

void (*link_entered)();
void (*link_rejected)(int peer, const char *why);
void (*after_each)();

namespace {

struct Row {
  MessageHandler handler;
  AtOnceHandler at_once;
  MessageKind kind;
};

Row rows[static_cast<size_t>(MessageType::last) + 1];

void count_handled(Peer &peer, bool for_keeper) { count_alone(for_keeper ? peer.handled_as_keeper : peer.handled); }

/// Whether something is wrong with a message of a peer, and what. All kinds of messages are checked in this one place.
bool wrong_with(const MessageHeader &header, size_t bytes, Complaint &wrong) {
  if (header.version != message_version)
    return !wrong.say("its version is %u, and this node speaks %u", header.version, message_version);
  const Row *row = header.type <= static_cast<uint8_t>(MessageType::last) ? &rows[header.type] : nullptr;
  if (!row || !row->handler)
    return !wrong.say("nobody here handles messages of type %u", header.type);
  if (header.plain > 1)
    return !wrong.say("its word `plain` is %u", header.plain);
  if (bytes < row->kind.body_bytes)
    return !wrong.say("it has %zu bytes of at least %zu", bytes, row->kind.body_bytes);
  return !row->kind.check(&header, bytes - row->kind.body_bytes, wrong);
}

void trace_received(const MessageHeader &header, size_t bytes) {
  trace_time_passes();
  if (trace_on(TraceClass::messages))
    trace_record(TraceEvent::message_received, 0, bytes, trace_message(header), header.from);
}

/// Whether the message comes from a peer whose messages are handled.
bool welcome(const Peer &peer) {
  return peer.open.load(std::memory_order_relaxed) && !peer.rejected.load(std::memory_order_relaxed) &&
         !link_is_shut.load(std::memory_order_relaxed);
}

constexpr size_t at_once_most = 8192;

} // namespace

int receive(void *, int from, void *message, size_t bytes) {
  auto *header = static_cast<MessageHeader *>(message);
  Arrival arrival{-1, message, bytes};
  if (bytes < sizeof(MessageHeader) || header->from >= node.count || header->from == node.self) {
    if (bytes >= sizeof(MessageHeader))
      dropped(*header, "it is not understood");
    return 0;
  }
  if (from >= 0 && from != header->from) {
    link_reject(from, static_cast<MessageType>(header->type), "it claims to come from node %u", header->from);
    return 0;
  }
  Peer &peer = peers[header->from];
  arrival.from = header->from;
  const uint8_t type = header->type; // the handler may keep the message
  if (!peer.known.load(std::memory_order_relaxed) && type == static_cast<uint8_t>(MessageType::hello) &&
      header->version == message_version) {
    check_hello(peer, arrival.body<HelloMessage>(), bytes);
  } else if (!peer.known.load(std::memory_order_relaxed) || (header->proof ^ peer.proof_in) != 0) {
    dropped(*header, "it is not authenticated");
  } else if (welcome(peer)) {
    if (Complaint wrong; __builtin_expect(wrong_with(*header, bytes, wrong), 0)) {
      link_reject(arrival.from, static_cast<MessageType>(type), "%s", wrong.text);
      return 0;
    }
    if (__builtin_expect(link_entered != nullptr, 0) && !header->plain && matters(type))
      link_entered();
    if (__builtin_expect(peer.newcomer.load(std::memory_order_relaxed), 0) && matters(type) &&
        type != static_cast<uint8_t>(MessageType::reply))
      link_admit(arrival.from);
    trace_received(*header, bytes);
    const bool for_keeper = is_for_keeper(*header);
    rows[type].handler(arrival);
    if (matters(type))
      count_handled(peer, for_keeper); // after what the handler has made ready, or sent
    else if (counts_besides(type))
      count_alone(peer.handled_besides);
    if (after_each)
      after_each();
  }
  return arrival.message == nullptr;
}

/// Handles a message at once, if that is possible. If something is wrong with the message, `receive` gets it, and
/// reports that.
int at_once(void *, int from, const void *message, size_t bytes, skein_transport_answer *reply) {
  if (bytes < sizeof(MessageHeader) || bytes > at_once_most)
    return 0;
  const uint8_t type = static_cast<const uint8_t *>(message)[offsetof(MessageHeader, type)];
  if (type > static_cast<uint8_t>(MessageType::last) || !rows[type].at_once)
    return 0;
  alignas(16) static char aligned[at_once_most]; // one buffer is enough, since handlers run one at a time
  if (reinterpret_cast<uintptr_t>(message) % 8) {
    const auto *from = static_cast<const char *>(message);
    if (bytes > 128) {
      memcpy(aligned, from, bytes);
    } else { // word by word; the last word may overlap the one before
      for (size_t at = 0; at + 8 < bytes; at += 8) {
        memcpy(aligned + at, from + at, 8);
        asm volatile("" : : : "memory"); // or the compiler makes it a call
      }
      memcpy(aligned + bytes - 8, from + bytes - 8, 8);
    }
    message = aligned;
  }
  const auto &header = *static_cast<const MessageHeader *>(message);
  const Row &row = rows[type];
  if (header.from >= node.count || header.from == node.self || (from >= 0 && from != header.from))
    return 0;
  Peer &peer = peers[header.from];
  if (!peer.known.load(std::memory_order_relaxed) || (header.proof ^ peer.proof_in) != 0 || !welcome(peer))
    return 0;
  if (Complaint wrong; __builtin_expect(wrong_with(header, bytes, wrong), 0))
    return 0;
  const bool plain = header.plain;
  if (!plain && link_hold) // shared memory is cached here, so messages are acquires and releases
    return 0;
  if (__builtin_expect(peer.newcomer.load(std::memory_order_relaxed), 0))
    return 0;
  trace_received(header, bytes);
  const Arrival arrival{header.from, const_cast<void *>(message), bytes};
  Answer answer = {nullptr, 0};
  if (!row.at_once(arrival, answer))
    return 0;
  if (answer.message) {
    seal(arrival.from, peer, answer.message, answer.bytes, plain);
    count_alone(peer.answered);
    *reply = {arrival.from, answer.message, answer.bytes};
  }
  count_handled(peer, is_for_keeper(header)); // after what it sent
  return 1;
}

/// Handles messages of this node to itself. To be called with `driving` locked. Returns how many there were.
unsigned handle_own() {
  for (unsigned count = 0;; count++) {
    QueuedMessage *waiting;
    {
      Guard guard(waiting_lock);
      waiting = own_messages.pop();
      if (!waiting) {
        own_waits.store(false, std::memory_order_relaxed);
        return count;
      }
    }
    Arrival arrival{node.self, waiting->message, waiting->bytes};
    free(waiting);
    if (!link_is_shut.load(std::memory_order_relaxed))
      rows[static_cast<const MessageHeader *>(arrival.message)->type].handler(arrival);
    free(arrival.message);
    count_alone(peers[node.self].handled);
    if (after_each)
      after_each();
  }
}

void link_handle(const MessageKind &kind, MessageHandler handler) {
  rows[static_cast<size_t>(kind.type)] = {handler, nullptr, kind};
}

void link_handle_at_once(MessageType type, AtOnceHandler handler) { rows[static_cast<size_t>(type)].at_once = handler; }

void link_reject(int peer, MessageType type, const char *format, ...) {
  SKEIN_ASSERT(peer != node.self, "this node rejects a message of its own");
  if (peers[peer].rejected.exchange(true, std::memory_order_relaxed))
    return;
  Complaint wrong;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(wrong.text, sizeof wrong.text, format, arguments);
  va_end(arguments);
  char why[sizeof wrong.text + 64];
  snprintf(why, sizeof why, "sent a malformed '%s' message: %s", message_name(static_cast<uint8_t>(type)), wrong.text);
  log("node %d %s; the run treats it as dead", peer, why);
  if (link_rejected)
    link_rejected(peer, why);
}

} // namespace skein
