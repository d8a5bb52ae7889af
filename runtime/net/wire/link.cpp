// Peers, authentication and dispatch; see link.h.
//
// Authentication. The transport over sockets lets nobody in who does not know the run's 128-bit token, which only the
// launcher's children have, and says from whom a message came. UCX does neither, so every message carries a *proof*:
// SipHash of (sender, receiver) under the token, and the hello two more. One 64-bit compare a message; a process
// without the token can neither say hello nor speak in another node's name. The token itself is never sent. Comparisons
// take the same time wherever they differ. What fails is dropped with a line in the log (at most ten, so that a flood
// of messages is not also a flood of lines). docs/security.md says who is kept out of what by this.
//
// What is authenticated is judged in one place, `wrong_with`, before any handler sees it: by the header, the size, and
// the check of its kind. A peer whose message fails is rejected. So is one whose message a handler rejects. From then
// on nothing from it is handled; the peer stays open until membership has buried it, so that all that waits for it
// fails in one way.
//
// Who connects to whom. Of two nodes the one with the smaller number connects and says hello; the other connects when
// that has come, and the transport finds the connection that is there. Both at once would be two, or, by UCX 1.13.1
// over TCP, sometimes none.
#include "net/wire/link.h"
#include "abi/frame_map.h"
#include "base/assert.h"
#include "base/fifo.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "migrate/image.h"
#include "migrate/modules.h"
#include "net/wire/secret.h"
#include "net/wire/siphash.h"
#include "net/wire/transport.h"
#include "os/linux/mutex.h"
#include "thread/stack.h"
#include "trace/trace.h"

#include <skein/skein.h>

#include <atomic>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

namespace skein {

bool (*link_hold)(int to, MessageHeader *message, size_t bytes);
void (*link_entered)();
void (*link_rejected)(int peer, const char *why);
void (*link_lost)(int peer, const char *why);
void (*link_met)(int peer);
void (*link_admitted)(int peer);
void (*link_own_waits)();
void (*link_undelivered)(const MessageHeader *request);
bool (*link_may_part)(int peer);

namespace {

/// A message that waits in this process.
struct QueuedMessage {
  QueuedMessage *next;
  MessageHeader *message;
  size_t bytes;
  bool plain;
};

/// The bit of Peer::sent_to_keeper that says that no more are sent.
constexpr uint64_t parted = UINT64_C(1) << 63;

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

struct Row {
  MessageHandler handler;
  AtOnceHandler at_once;
  MessageKind kind;
};

const skein_transport *transport;
Peer *peers;
Row rows[static_cast<size_t>(MessageType::last) + 1];
std::atomic<bool> shut{true};
Mutex driving;
__thread bool handling;          // this kernel thread holds `driving`
void (*after_each)();            // called by the kernel thread that drives
std::atomic<bool> closed{false}; // nobody drives the transport any more

SpinLock waiting_lock{Rank::leaf};
Fifo<QueuedMessage> own; // messages of this node to itself
std::atomic<bool> own_waits{false};
Fifo<QueuedMessage> held_back; // for the keeper of the one node that is about to leave

bool matters(uint8_t type) {
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
bool counts_besides(uint8_t type) {
  return type != static_cast<uint8_t>(MessageType::hello) && type != static_cast<uint8_t>(MessageType::heartbeat);
}

/// Whether the message must wait until the writes of this node are at their owners. If so, link_hold has taken it.
bool held(int to, MessageHeader *message, size_t bytes) {
  return __builtin_expect(link_hold != nullptr, 0) && matters(message->type) && link_hold(to, message, bytes);
}

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

void dropped(const MessageHeader &header, const char *why) {
  static std::atomic<int> said{0};
  if (said.fetch_add(1, std::memory_order_relaxed) < 10)
    log("dropped a message that claims to come from node %u: %s", header.from, why);
}

/// Its descriptors are closed, or not this process's.
void forget_address(Peer &peer) {
  free(const_cast<void *>(peer.address.bytes));
  peer.address = {};
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

/// This node has come to a run that had begun.
bool late;

/// Once threads move, it is decided which words of them need not be known (migrate/modules.h). A node for which this
/// would not be true is told why it cannot join; null: it can.
const char *wrong_for_newcomer(const Peer &peer, const HelloMessage &hello) {
  if (!late && !peer.newcomer.load(std::memory_order_relaxed))
    return nullptr;
  if (hello.stack_geometry != stack_geometry())
    return "it lays out its stacks differently (SKEIN_OPTIONS, ulimit -s)";
  if (hello.modules != modules_digest() && !modules_differ)
    return "its program or libraries lie at other addresses (start the run with image=any, or on several hosts)";
  return nullptr;
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
    if (!late)
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

/// Adds 1 to a count that only the driver changes, without a locked instruction.
void count_alone(std::atomic<uint64_t> &count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

/// Whether the message is about something that its receiver keeps for others. Of the questions for the end of something
/// one is not: it names a call of the receiver itself.
bool is_about_kept(const MessageHeader &message) {
  return goes_to_keeper(message.type) &&
         (message.type != static_cast<uint8_t>(MessageType::await) ||
          reinterpret_cast<const AwaitMessage &>(message).what != static_cast<uint64_t>(AwaitWhat::answer));
}

/// Whether a peer that leaves must have handled all such messages that were sent to it.
bool is_for_keeper(const MessageHeader &message) {
  return is_about_kept(message) || message.type == static_cast<uint8_t>(MessageType::request);
}

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

/// A message as a word of an event.
uint32_t trace_message(const MessageHeader &header) { return uint32_t{header.type} << 16 | header.trace; }

[[gnu::cold, gnu::noinline]] void trace_sent(int to, Peer &peer, MessageHeader *message, size_t bytes) {
  do
    message->trace = static_cast<uint16_t>(peer.traced.fetch_add(1, std::memory_order_relaxed) + 1);
  while (!message->trace);
  trace_record(TraceEvent::message_sent, 0, bytes, trace_message(*message), static_cast<uint16_t>(to));
}

void trace_received(const MessageHeader &header, size_t bytes) {
  trace_time_passes();
  if (trace_on(TraceClass::messages))
    trace_record(TraceEvent::message_received, 0, bytes, trace_message(header), header.from);
}

/// Whether the message comes from a peer whose messages are handled.
bool welcome(const Peer &peer) {
  return peer.open.load(std::memory_order_relaxed) && !peer.rejected.load(std::memory_order_relaxed) &&
         !shut.load(std::memory_order_relaxed);
}

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

/// Completes the header of a message to `peer`.
void seal(int to, Peer &peer, MessageHeader *message, size_t bytes, bool plain) {
  message->version = message_version;
  message->from = static_cast<uint16_t>(node.self);
  message->plain = plain;
  message->trace = 0;
  trace_time_passes();
  if (trace_on(TraceClass::messages))
    trace_sent(to, peer, message, bytes);
  message->proof = peer.proof_out ^ (knobs.fault == Fault::proof);
}

constexpr size_t at_once_most = 8192;

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

/// Whether this program is linked statically. Libraries that it would load bring a libc of their own.
bool program_is_static() {
  bool interpreted = false;
  dl_iterate_phdr(
      [](dl_phdr_info *program, size_t, void *found) {
        for (unsigned i = 0; i < program->dlpi_phnum; i++)
          *static_cast<bool *>(found) |= program->dlpi_phdr[i].p_type == PT_INTERP;
        return 1; // it comes first
      },
      &interpreted);
  return !interpreted;
}

void lost(void *, int peer, const char *why) {
  // This is a hint. Mostly the peer has died, and the launcher says so in a moment, or the run ends, and the peer was
  // the first to close.
  if (link_lost && !shut.load(std::memory_order_relaxed) && peers[peer].open.load(std::memory_order_relaxed))
    link_lost(peer, why);
}

void note(void *, const char *text) {
  static std::atomic<int> said{0};
  if (said.fetch_add(1, std::memory_order_relaxed) < 3)
    log("%s", text);
}

void *symbol_of(const char *library, const char *symbol) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fatal("cannot load the transport: %s", dlerror());
  return dlsym(handle, symbol);
}

/// The library of faults lies beside the transport's.
const skein_transport *with_faults(const skein_transport *inner, const char *library) {
  char path[PATH_MAX];
  const char *slash = strrchr(library, '/');
  snprintf(path, sizeof path, "%.*s" SKEIN_FAULTS_LIBRARY, slash ? static_cast<int>(slash + 1 - library) : 0, library);
  auto wrap = reinterpret_cast<skein_transport_with_faults_fn>(symbol_of(path, SKEIN_FAULTS_SYMBOL));
  if (!wrap)
    fatal("%s has no faults of the network", path);
  const skein_transport_faults wanted = {node.count, node.self, knobs.seed, knobs.net_delay_us, knobs.net_mutate};
  return wrap(inner, &wanted);
}

void open_transport();

} // namespace

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

bool link_all_alive() {
  for (int peer = 0; peer < node.count; peer++)
    if (peers[peer].forgotten)
      return false;
  return true;
}

void *message_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory)
    fatal("out of memory for a message of %zu bytes", bytes);
  return memory;
}

void link_open(const char *library, bool comes_late) {
  late = comes_late;
  if (program_is_static())
    fatal("a static program runs on one node only, since the transport is a library and needs a dynamic libc: link it "
          "without -static");
  auto table = reinterpret_cast<skein_transport_table_fn>(symbol_of(library, SKEIN_TRANSPORT_SYMBOL));
  if (!table)
    fatal("%s is no transport of Skein", library);
  transport = table();
  if (transport->version != SKEIN_TRANSPORT_VERSION)
    fatal("%s has version %u, this program needs version %d", library, transport->version, SKEIN_TRANSPORT_VERSION);
  if (knobs.net_delay_us || knobs.net_mutate)
    transport = with_faults(transport, library);
  peers = static_cast<Peer *>(calloc(static_cast<size_t>(node.count), sizeof(Peer)));
  if (!peers)
    fatal("out of memory for %d peers", node.count);
  open_transport();
}

void link_reopen() {
  driving.reset();
  handling = false;
  late = false;
  own_waits.store(!own.empty(), std::memory_order_relaxed);
  for (int number = 0; number < node.count; number++) {
    Peer &peer = peers[number];
    if (!peer.open.exchange(false, std::memory_order_relaxed))
      continue;
    peer.known.store(false, std::memory_order_relaxed);
    peer.newcomer.store(false, std::memory_order_relaxed);
    forget_address(peer); // whose descriptors were the former process's
  }
  if (transport->forget() != 0)
    fatal("the transport %s cannot be opened again in a process that is made of a checkpoint (--transport tcp can)",
          transport->name);
  open_transport();
}

namespace {
void open_transport() {
  static_assert(bootstrap::token_bytes == SKEIN_TRANSPORT_SECRET_BYTES);
  skein_transport_setup setup = {node.count,
                                 node.self,
                                 receive,
                                 lost,
                                 note,
                                 nullptr,
                                 at_once,
                                 run_secret(),
                                 knobs.tcp == TcpConnections::sealed,
                                 knobs.tcp_listen};
  char error[256];
  if (transport->open(&setup, error, sizeof error) != 0)
    fatal("cannot open the transport: %s", error);
  shut.store(false, std::memory_order_release);
}
} // namespace

skein_transport_address link_address() {
  skein_transport_address own;
  transport->address(&own);
  return own;
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

namespace {

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
    wait_in(own, message, bytes, plain);
    own_waits.store(true, std::memory_order_release);
  }
  if (link_own_waits)
    link_own_waits();
}

/// Handles messages of this node to itself. To be called with `driving` locked. Returns how many there were.
unsigned handle_own() {
  for (unsigned count = 0;; count++) {
    QueuedMessage *waiting;
    {
      Guard guard(waiting_lock);
      waiting = own.pop();
      if (!waiting) {
        own_waits.store(false, std::memory_order_relaxed);
        return count;
      }
    }
    Arrival arrival{node.self, waiting->message, waiting->bytes};
    free(waiting);
    if (!shut.load(std::memory_order_relaxed))
      rows[static_cast<const MessageHeader *>(arrival.message)->type].handler(arrival);
    free(arrival.message);
    count_alone(peers[node.self].handled);
    if (after_each)
      after_each();
  }
}

/// What has become of a message on its way to the transport.
enum class Routed : uint8_t { on_its_way, nowhere, kept };

/// Finds the way of a message whose sender wants it to go to node `to`, and completes its header. `nowhere`: there is
/// no such peer, and the message is still the caller's. `kept`: it waits here.
Routed route(int &to, MessageHeader *message, size_t bytes, bool plain) {
  const bool for_keeper = is_for_keeper(*message);
  for (;;) {
    if (shut.load(std::memory_order_acquire))
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

bool link_has_newcomer() {
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_reaches(peer) && !link_alive(peer))
      return true;
  return false;
}

unsigned link_drive(bool wait, unsigned looks, void (*handled)()) {
  if (wait) {
    driving.lock();
  } else if (!driving.try_lock()) {
    __builtin_ia32_pause(); // for callers that try again and again
    return 0;
  }
  handling = true;
  after_each = handled;
  unsigned count = closed.load(std::memory_order_relaxed) ? 0 : transport->progress(looks);
  if (__builtin_expect(own_waits.load(std::memory_order_acquire), 0))
    count += handle_own();
  handling = false;
  driving.unlock();
  return count;
}

void link_exclusive(void (*function)(void *), void *context) {
  if (handling)
    return function(context);
  driving.lock();
  handling = true;
  function(context);
  handling = false;
  driving.unlock();
}

int link_wait_fd() { return transport->wait_fd(); }
int link_arm() {
  return closed.load(std::memory_order_relaxed) || own_waits.load(std::memory_order_seq_cst) ? 0 : transport->arm();
}

uint64_t link_proof_of(int peer) { return peers[peer].proof_in; }
uint64_t link_proof_to(int peer) { return peers[peer].proof_out; }

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

uint64_t link_fall_silent(int peer) {
  peers[peer].silent.store(true, std::memory_order_seq_cst);
  return sent_to(peers[peer]);
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

void link_shut() {
  shut.store(true, std::memory_order_release);
  if (handling) // the program's handler calls exit()
    return;
  driving.lock(); // a handler that runs ends before; no other one begins
  driving.unlock();
}

void link_abandon() {
  driving.reset(); // the kernel thread that held it does not exist in this process
  handling = false;
  shut.store(true, std::memory_order_relaxed);
  for (int peer = 0; peers && peer < node.count; peer++)
    peers[peer].open.store(false, std::memory_order_relaxed);
  if (transport && !closed.exchange(true, std::memory_order_relaxed))
    transport->abandon();
}

void link_close_descriptors() { transport->abandon(); }

void link_close() {
  driving.lock();
  transport->close();
  closed.store(true, std::memory_order_relaxed); // workers that have not seen the end yet may still try to drive
  driving.unlock();
}

void link_leave() {
  link_shut();
  closed.store(true, std::memory_order_relaxed);
  transport->leave();
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
