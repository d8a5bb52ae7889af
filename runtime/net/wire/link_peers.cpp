// The states of peers, as others ask for them (link.h), and the counts of messages to and from them; see link_peer.h.
#include "net/wire/link_peer.h"

#include <skein/skein.h>

namespace skein {

void (*link_admitted)(int peer);
Peer *peers;

bool link_reaches(int peer) { return peer == node.self || (peers && peers[peer].open.load(std::memory_order_acquire)); }

bool link_alive(int peer) {
  return link_reaches(peer) && (peer == node.self || !peers[peer].newcomer.load(std::memory_order_acquire));
}

bool link_takes(int peer) {
  return link_alive(peer) && !node_has_left(peer) &&
         !(peers && peers[peer].leaves.load(std::memory_order_acquire) != Leaves::stays);
}

bool link_hears(int peer) {
  return link_alive(peer) && !node_has_left(peer) && peers[peer].leaves.load(std::memory_order_acquire) < Leaves::parts;
}

bool link_keeps(int number) { return link_alive(keeper_of(number)); }

const char *link_state(int peer) {
  if (node_has_left(peer))
    return "has left the run";
  return link_alive(peer) && !link_takes(peer) ? "is about to leave the run" : "is dead";
}

int link_state_code(int peer) { return node_has_left(peer) || link_alive(peer) ? SKEIN_ELEAVES : SKEIN_EDEAD; }

void link_leaves(int peer, Leaves leaves) { peers[peer].leaves.store(leaves, std::memory_order_release); }

bool link_all_alive() {
  for (int peer = 0; peer < node.count; peer++)
    if (peers[peer].forgotten)
      return false;
  return true;
}

bool link_has_newcomer() {
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_reaches(peer) && !link_alive(peer))
      return true;
  return false;
}

int link_random_peer(uint32_t random) {
  int start = static_cast<int>(random % static_cast<uint32_t>(node.count));
  for (int i = 0; i < node.count; i++) {
    int peer = (start + i) % node.count;
    if (peer != node.self && link_alive(peer))
      return peer;
  }
  return -1;
}

void link_admit(int peer) {
  Peer &admitted = peers[peer];
  if (admitted.forgotten || !admitted.newcomer.exchange(false, std::memory_order_acq_rel))
    return;
  if (link_admitted)
    link_admitted(peer);
}

void link_gone(int peer) { peers[peer].forgotten = true; }

namespace {
/// So many messages that count were sent there, or held back.
uint64_t sent_to(const Peer &peer) {
  return peer.sent.load(std::memory_order_seq_cst) + peer.answered.load(std::memory_order_seq_cst) +
         (peer.sent_to_keeper.load(std::memory_order_seq_cst) & ~parted);
}
} // namespace

Handled link_handled(int peer) {
  const uint64_t as_keeper = peers[peer].handled_as_keeper.load(std::memory_order_seq_cst);
  return {as_keeper, as_keeper + peers[peer].handled.load(std::memory_order_seq_cst)};
}

Traffic link_traffic() {
  Traffic traffic = {.sent = 0, .handled = 0, .view = 1, .nodes = 1};
  // `handled` is read before `sent`, so that a message whose handler sends is not counted as handled without what the
  // handler sent.
  traffic.handled = peers[node.self].handled.load(std::memory_order_seq_cst);
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_alive(peer)) {
      traffic.handled += link_handled(peer).all;
      traffic.view++;
      traffic.nodes++;
    } else if (peer != node.self && peers[peer].forgotten) {
      traffic.view += 2; // it has been there; a number that nobody has had yet counts for nothing
    }
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_alive(peer))
      traffic.sent += sent_to(peers[peer]);
  traffic.sent += peers[node.self].sent.load(std::memory_order_seq_cst);
  return traffic;
}

Messages link_messages() {
  Messages all = {0, 0};
  // As in link_traffic.
  all.handled = peers[node.self].handled.load(std::memory_order_seq_cst);
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_reaches(peer))
      all.handled += link_handled(peer).all + peers[peer].handled_besides.load(std::memory_order_seq_cst);
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_reaches(peer))
      all.sent += sent_to(peers[peer]) + peers[peer].sent_besides.load(std::memory_order_seq_cst);
  all.sent += peers[node.self].sent.load(std::memory_order_seq_cst);
  return all;
}

uint64_t link_fall_silent(int peer) {
  peers[peer].silent.store(true, std::memory_order_seq_cst);
  return sent_to(peers[peer]);
}

} // namespace skein
