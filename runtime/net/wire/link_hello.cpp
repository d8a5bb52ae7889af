// How peers come to know each other, and how each proves who it is; see link_peer.h.
//
// Authentication. The transport over sockets lets nobody in who does not know the run's 128-bit token, which only the
// launcher's children have, and says from whom a message came. UCX does neither, so every message carries a *proof*:
// SipHash of (sender, receiver) under the token, and the hello two more. One 64-bit compare a message; a process
// without the token can neither say hello nor speak in another node's name. The token itself is never sent. Comparisons
// take the same time wherever they differ. What fails is dropped with a line in the log (at most ten, so that a flood
// of messages is not also a flood of lines). docs/security.md says who is kept out of what by this.
//
// Who connects to whom. Of two nodes the one with the smaller number connects and says hello; the other connects when
// that has come, and the transport finds the connection that is there. Both at once would be two, or, by UCX 1.13.1
// over TCP, sometimes none.
#include "abi/frame_map.h"
#include "base/log.h"
#include "migrate/image.h"
#include "migrate/modules.h"
#include "net/wire/link_peer.h"
#include "net/wire/secret.h"
#include "net/wire/siphash.h"
#include "thread/stack.h"

#include <skein/skein.h>

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace skein {

void (*link_met)(int peer);
bool link_came_late;

namespace {

bool equal_in_constant_time(const uint8_t *a, const uint8_t *b, size_t bytes) {
  volatile uint8_t difference = 0;
  for (size_t i = 0; i < bytes; i++)
    difference = difference | (a[i] ^ b[i]);
  return difference == 0;
}

uint64_t proof_of(int from, int to) {
  uint32_t pair[2] = {static_cast<uint32_t>(from), static_cast<uint32_t>(to)};
  return siphash(run_secret(), pair, sizeof pair);
}

/// The proof that only a hello carries.
void hello_proof(int from, int to, uint8_t proof[sizeof HelloMessage::token_proof]) {
  for (uint32_t half = 0; half < 2; half++) {
    const uint32_t words[] = {half, static_cast<uint32_t>(from), static_cast<uint32_t>(to)};
    const uint64_t hash = siphash(run_secret(), words, sizeof words);
    memcpy(proof + 8 * half, &hash, sizeof hash);
  }
}

/// Connects to a peer, and says hello.
void say_hello(int peer, const skein_transport_address &address) {
  char error[256];
  if (peers[peer].forgotten)
    return;
  if (transport->connect(peer, &address, error, sizeof error) != 0) {
    // The peer may have died a moment ago. The launcher will say so, or that it was waited for in vain.
    log("cannot connect to node %d: %s", peer, error);
    return;
  }
  peers[peer].open.store(true, std::memory_order_release);
  auto *hello = message_new<HelloMessage>();
  hello_proof(node.self, peer, hello->token_proof);
  if (knobs.fault == Fault::token)
    hello->token_proof[0] ^= 1;
  hello->abi_version = SKEIN_ABI_VERSION;
  hello->image_version = image_wire_version;
  hello->stack_geometry = stack_geometry();
  hello->image_begin = program_module().begin;
  hello->modules = modules_digest();
  memcpy(hello->build_id, program_module().build_id, sizeof hello->build_id);
  hello->reserved = 0;
  link_send(peer, hello);
}

/// Once threads move, it is decided which words of them need not be known (migrate/modules.h). A node for which this
/// would not be true is told why it cannot join; null: it can.
const char *wrong_for_newcomer(const Peer &peer, const HelloMessage &hello) {
  if (!link_came_late && !peer.newcomer.load(std::memory_order_relaxed))
    return nullptr;
  if (hello.stack_geometry != stack_geometry())
    return "it lays out its stacks differently (SKEIN_OPTIONS, ulimit -s)";
  if (hello.modules != modules_digest() && !modules_differ)
    return "its program or libraries lie at other addresses (start the run with image=any, or on several hosts)";
  return nullptr;
}
} // namespace

void dropped(const MessageHeader &header, const char *why) {
  static std::atomic<int> said{0};
  if (said.fetch_add(1, std::memory_order_relaxed) < 10)
    log("dropped a message that claims to come from node %u: %s", header.from, why);
}

void forget_address(Peer &peer) {
  free(const_cast<void *>(peer.address.bytes));
  peer.address = {};
}

/// The sender of a hello is not authenticated yet. So a wrong hello is dropped, and the node that it names is not
/// rejected for it.
void check_hello(Peer &peer, const HelloMessage &hello, size_t bytes) {
  Complaint wrong;
  if (bytes < sizeof hello || !HelloMessage::check(hello, bytes - sizeof hello, wrong))
    return dropped(hello.header, "its hello is malformed");
  uint8_t proof[sizeof hello.token_proof];
  hello_proof(hello.header.from, node.self, proof);
  if (!equal_in_constant_time(hello.token_proof, proof, sizeof proof))
    return dropped(hello.header, "it does not know the token of this run");
  if (peer.known.load(std::memory_order_relaxed))
    return dropped(hello.header, "it has said hello before");
  if (hello.abi_version != SKEIN_ABI_VERSION || hello.image_version != image_wire_version)
    return dropped(hello.header, "it was built with another version of Skein");
  if ((knobs.stacks == StackStrategy::reserve || stacks_are_shared()) && hello.stack_geometry != stack_geometry())
    fatal("node %u lays out its stacks differently; stacks=%s needs the same SKEIN_OPTIONS (stack, stack_max) and "
          "the same ulimit -s on all nodes",
          hello.header.from, stacks_are_shared() ? "shared" : "reserve");
  if (const char *wrong = wrong_for_newcomer(peer, hello)) {
    if (!link_came_late)
      return dropped(hello.header, wrong); // it finds out the same
    fatal("this node came to a run that had begun, and cannot join it: %s, in comparison with node %u", wrong,
          hello.header.from);
  }
  if (hello.stack_geometry != stack_geometry())
    stacks_differ();
  (hello.modules == modules_digest() ? modules_agree : modules_differ) = true;
  peer.hello = hello;
  if (peer.address.bytes) {
    say_hello(hello.header.from, peer.address);
    for (const int descriptor : peer.address.descriptors)
      if (descriptor >= 0)
        close(descriptor);
    forget_address(peer);
  }
  peer.known.store(true, std::memory_order_release); // pairs with link_hello
  if (peer.newcomer.load(std::memory_order_relaxed) && link_met)
    link_met(hello.header.from);
}

void link_meet(int peer, const skein_transport_address &address, bool newcomer) {
  peers[peer].newcomer.store(newcomer, std::memory_order_relaxed);
  peers[peer].proof_in = proof_of(peer, node.self);
  peers[peer].proof_out = proof_of(node.self, peer);
  if (peer > node.self)
    return say_hello(peer, address);
  void *bytes = message_memory(address.count);
  memcpy(bytes, address.bytes, address.count);
  peers[peer].address = {bytes, address.count, {-1, -1}};
  for (unsigned i = 0; i < SKEIN_TRANSPORT_DESCRIPTORS; i++)
    if (address.descriptors[i] >= 0)
      peers[peer].address.descriptors[i] = fcntl(address.descriptors[i], F_DUPFD_CLOEXEC, 0);
}

uint64_t link_proof_of(int peer) { return peers[peer].proof_in; }
uint64_t link_proof_to(int peer) { return peers[peer].proof_out; }

bool link_same_build(int peer) {
  static_assert(sizeof HelloMessage::build_id == build_id_bytes);
  return peer == node.self || memcmp(peers[peer].hello.build_id, program_module().build_id, build_id_bytes) ==
                                  0; // said before any thread ran
}

bool link_same_modules(int peer) { return peers[peer].hello.modules == modules_digest(); }

bool link_hello(int peer, HelloMessage &hello) {
  if (!peers[peer].known.load(std::memory_order_acquire))
    return false;
  hello = peers[peer].hello;
  return true;
}

} // namespace skein
