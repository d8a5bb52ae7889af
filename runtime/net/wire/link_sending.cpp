// What is sent: where it goes, and what waits in this process until it may go; see link_peer.h.
//
// A message goes to a peer by the transport. One that is about what a node keeps for others goes to that node's heir
// once the node has left; if this is the heir, it waits until the kernel thread that drives handles it
// (`own_messages`). While a peer leaves (link_part, link_inherit) such messages, and requests, are *held back*: whether
// they go to the peer's heir or fail is known when it has left. And messages that bring news of writes may first have
// to wait for the writes (link_hold).
#include "base/log.h"
#include "net/wire/link_peer.h"

#include <cstdlib>

namespace skein {

bool (*link_hold)(int to, MessageHeader *message, size_t bytes);
void (*link_own_waits)();
void (*link_undelivered)(const MessageHeader *request);
bool (*link_may_part)(int peer);

SpinLock waiting_lock{Rank::leaf};
Fifo<QueuedMessage> own_messages;
std::atomic<bool> own_waits{false};

namespace {

Fifo<QueuedMessage> held_back; // for the keeper of the one node that is about to leave

/// Whether the message must wait until the writes of this node are at their owners. If so, link_hold has taken it.
bool held(int to, MessageHeader *message, size_t bytes) {
  return __builtin_expect(link_hold != nullptr, 0) && matters(message->type) && link_hold(to, message, bytes);
}

void wait_in(Fifo<QueuedMessage> &queue, MessageHeader *message, size_t bytes, bool plain) {
  auto *waiting = static_cast<QueuedMessage *>(message_memory(sizeof(QueuedMessage)));
  *waiting = {nullptr, message, bytes, plain};
  queue.push(waiting);
}

/// Sends a message to this node itself: as the heir of another, it keeps what the message is about.
void send_to_self(MessageHeader *message, size_t bytes, bool plain) {
  message->version = message_version;
  message->from = static_cast<uint16_t>(node.self);
  message->plain = plain;
  message->trace = 0;
  peers[node.self].sent.fetch_add(1, std::memory_order_seq_cst);
  {
    Guard guard(waiting_lock);
    wait_in(own_messages, message, bytes, plain);
    own_waits.store(true, std::memory_order_release);
  }
  if (link_own_waits)
    link_own_waits();
}

/// What has become of a message on its way to the transport.
enum class Routed : uint8_t { on_its_way, nowhere, kept };

/// Finds the way of a message whose sender wants it to go to node `to`, and completes its header. `nowhere`: there is
/// no such peer, and the message is still the caller's. `kept`: it waits here.
Routed route(int &to, MessageHeader *message, size_t bytes, bool plain) {
  const bool for_keeper = is_for_keeper(*message);
  for (;;) {
    if (link_is_shut.load(std::memory_order_acquire))
      return Routed::nowhere;
    if (is_about_kept(*message) && node_has_left(to)) {
      to = keeper_of(to);
      if (to == node.self)
        return send_to_self(message, bytes, plain), Routed::kept;
    }
    Peer &peer = peers[to];
    if (!peer.open.load(std::memory_order_acquire) || (for_keeper && node_has_left(to)) ||
        (peer.silent.load(std::memory_order_relaxed) && matters(message->type)))
      return Routed::nowhere;
    seal(to, peer, message, bytes, plain);
    if (!matters(message->type)) {
      if (counts_besides(message->type))
        peer.sent_besides.fetch_add(1, std::memory_order_seq_cst); // before it can be handled, as below
      return Routed::on_its_way;
    }
    if (!for_keeper) {
      peer.sent.fetch_add(1, std::memory_order_seq_cst); // before it can be handled
      return Routed::on_its_way;
    }
    if (__builtin_expect((peer.sent_to_keeper.fetch_add(1, std::memory_order_seq_cst) & parted) == 0, 1))
      return Routed::on_its_way;
    Guard guard(waiting_lock);
    if (node_has_left(to)) // meanwhile, and this message would have been too late
      continue;
    if (!peer.open.load(std::memory_order_relaxed)) // it has died
      return Routed::nowhere;
    wait_in(held_back, message, bytes, plain);
    return Routed::kept;
  }
}

void send(int to, MessageHeader *message, size_t bytes, bool plain) {
  const Routed routed = route(to, message, bytes, plain);
  if (routed == Routed::on_its_way)
    transport->send(to, message, bytes);
  else if (routed == Routed::nowhere)
    free(message);
}
} // namespace

void trace_sent(int to, Peer &peer, MessageHeader *message, size_t bytes) {
  do
    message->trace = static_cast<uint16_t>(peer.traced.fetch_add(1, std::memory_order_relaxed) + 1);
  while (!message->trace);
  trace_record(TraceEvent::message_sent, 0, bytes, trace_message(*message), static_cast<uint16_t>(to));
}

void *message_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory)
    fatal("out of memory for a message of %zu bytes", bytes);
  return memory;
}

void link_send(int to, MessageHeader *message, size_t bytes, bool plain) {
  if (plain || !held(to, message, bytes))
    send(to, message, bytes, plain);
}

bool link_lend(int to, MessageHeader *message, size_t bytes, bool plain) {
  if (!plain && held(to, message, bytes))
    return true;
  const Routed routed = route(to, message, bytes, plain);
  return routed == Routed::kept || (routed == Routed::on_its_way && transport->lend(to, message, bytes));
}

void link_send_past(int to, MessageHeader *message, size_t bytes) { send(to, message, bytes, false); }

uint64_t link_part(int peer) {
  return peers[peer].sent_to_keeper.fetch_or(parted, std::memory_order_seq_cst) & ~parted;
}

void link_inherit(int peer) {
  Fifo<QueuedMessage> waiting;
  {
    Guard guard(waiting_lock); // route looks again under it
    __atomic_store_n(&nodes_left[peer], true, __ATOMIC_RELEASE);
    waiting = held_back;
    held_back = {};
  }
  while (QueuedMessage *one = waiting.pop()) {
    if (one->message->type == static_cast<uint8_t>(MessageType::request)) {
      link_undelivered(one->message);
      free(one->message);
    } else {
      send(peer, one->message, one->bytes, one->plain);
    }
    free(one);
  }
}

void link_forget(int peer) {
  peers[peer].forgotten = true;
  if (!peers[peer].open.exchange(false, std::memory_order_acq_rel))
    return;
  transport->disconnect(peer);
  Guard guard(waiting_lock);
  while (peers[peer].sent_to_keeper.load(std::memory_order_relaxed) & parted && !held_back.empty()) {
    QueuedMessage *one = held_back.pop();
    free(one->message);
    free(one);
  }
}

} // namespace skein
