// The transport between nodes of one host: each node has a memory file with a ring for each other node (inbox.h,
// ring.h), and a message is a copy into the receiver's ring and one out of it.
//
// Sending. A message that fits leaves in the call that sends it. A large one goes in parts, and leaves some room, so
// that small ones overtake it: a heartbeat does not wait for a gigabyte. What finds no room waits in a list of its
// peer, and leaves in a later `progress`; small ones in the order in which they were sent.
//
// Receiving belongs to the kernel thread that is inside of `progress`, and takes no lock. A message is copied out of
// the ring before anybody looks at it, so nothing that its sender does afterwards can change it.
//
// Sleep. `arm` says in the inbox that this node sleeps, and then looks at all rings; a sender puts its message into the
// ring and then looks whether the receiver sleeps. With a full fence between the two on both sides one of them sees the
// other. Who finds a sleeper takes that word back, and rings its bell, an eventfd: so of all who send to a sleeper one
// pays for a system call. A bell may come late, after the node was awake and fell asleep again. Then it wakes for
// nothing, once: `arm` empties the bell. Nothing tells who waits for room that there is some, so sleep is short then. A
// worker that hands over more than there is room for wakes its own node, which may be in a long sleep.
//
// Death of a peer. What it had not published is not there; what it had is delivered. Its inbox stays mapped here, and
// what is on its way there is dropped when membership says that it is dead. Its processor may stop anywhere: nobody
// waits for it, since no two nodes write into one ring.
//
// Who may write here. The descriptors come from the launcher's socket, so no secret has to be proved. A ring that holds
// what no writer writes ends its peer for this node (`lost`).
//
// Measured on two cores, one way: 0.3 us for 64 bytes, 0.55 for 512, 0.74 for 1 KiB. UCX 1.13 over shared memory, which
// did this before, takes 0.6, 1.0 and 1.0: it copies as often, but has one queue for all senders, which each has to
// claim a place in, and in which one that dies in the middle would stop all others.
//
// Rejected: a ring for all senders (above); larger rings, which leave the nearest cache; to leave large messages where
// they are and have the receiver read them (process_vm_readv): what is large on one host is lent already, and copied
// once (net/messages/lent_memory.h).
//
// No C++ library here: like libskein.a this object may be loaded into a C program.
#include "base/fifo.h"
#include "net/wire/arrived.h"
#include "net/wire/posted.h"
#include "net/wire/shm/inbox.h"
#include "net/wire/siphash.h"
#include "net/wire/transport_symbol.h"
#include "os/linux/mutex.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

namespace skein::shm {

namespace {

/// A message that waits for room.
struct Waiting {
  Waiting *next;
  void *message;
  size_t bytes;
};

struct Peer {
  // Sending, under `lock`.
  Mutex lock;
  Writer writer; // into its inbox; not attached: not connected
  InboxHead *inbox = nullptr;
  int bell = -1;
  Fifo<Waiting> small, large;
  size_t left = 0;                  // of the first large one, so many bytes
  std::atomic<unsigned> waiting{0}; // in both lists
  // Receiving, by the kernel thread in `progress`.
  Reader reader;
  Incoming *parts = nullptr; // a large message that has not come whole
  size_t came = 0;
  std::atomic<bool> gone{false}; // nothing of it is wanted any more
};

skein_transport_setup setup;
Peer *peers;
InboxHead *inbox;
int inbox_file = -1, bell = -1;
Address own_address;
std::atomic<unsigned> waiting_everywhere{0};
std::atomic<bool> closed{false};
Arrived arrived;

constexpr uint64_t message_most = UINT64_C(1) << 40; // what claims to be longer is damaged
constexpr unsigned entries_at_once = 32;             // of one peer, before the others are looked at

int fail(char *error, size_t bytes, const char *what) {
  snprintf(error, bytes, "shared memory of the host: %s: %s", what, strerror(errno));
  return -1;
}

/// The key of the stamps in the ring from one node to another.
uint64_t key_of(int from, int to) {
  const int ends[] = {from, to};
  return siphash(setup.secret, ends, sizeof ends);
}

/// There is something for the node of this inbox to do.
void wake(InboxHead &inbox, int bell) {
  std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the exchange in `arm`
  if (__builtin_expect(__atomic_load_n(&inbox.asleep, __ATOMIC_RELAXED) == 0, 1) ||
      __atomic_exchange_n(&inbox.asleep, 0, __ATOMIC_RELAXED) == 0)
    return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(bell, &one, sizeof one); // full: it has been rung
}

void add_waiting(Peer &peer, unsigned change) {
  peer.waiting.fetch_add(change, std::memory_order_relaxed);
  waiting_everywhere.fetch_add(change, std::memory_order_relaxed);
}

void finish_first(Peer &peer, Fifo<Waiting> &list) {
  Waiting *first = list.pop();
  free(first->message);
  free(first);
  add_waiting(peer, -1u);
}

/// Under the peer's lock: sends what waits, as far as there is room. Returns whether anything has left.
bool send_waiting(Peer &peer) {
  Writer &writer = peer.writer;
  bool any = false;
  for (Waiting *first; (first = peer.small.first()) && writer.has_room(static_cast<uint32_t>(first->bytes));
       any = true) {
    writer.put(Kind::whole, nullptr, 0, first->message, static_cast<uint32_t>(first->bytes));
    finish_first(peer, peer.small);
  }
  while (const Waiting *first = peer.large.first()) {
    const uint64_t all = first->bytes;
    const uint32_t begin = peer.left ? 0 : sizeof all;
    const auto part = static_cast<uint32_t>(std::min<size_t>(all - peer.left, writer.most() - begin));
    if (!writer.has_room(begin + part, writer.ring_bytes() / 8))
      break;
    writer.put(begin ? Kind::first : Kind::more, &all, begin, static_cast<const char *>(first->message) + peer.left,
               part);
    any = true;
    peer.left += part;
    if (peer.left == all) {
      peer.left = 0;
      finish_first(peer, peer.large);
    }
  }
  return any;
}

Posted post(int to, void *message, size_t bytes) {
  Peer &peer = peers[to];
  Posted posted = Posted::nobody;
  peer.lock.lock();
  if (__builtin_expect(peer.writer.attached(), 1)) {
    const bool small = bytes <= peer.writer.most();
    bool any = true;
    if (small && peer.small.empty() && peer.writer.has_room(static_cast<uint32_t>(bytes))) {
      peer.writer.put(Kind::whole, nullptr, 0, message, static_cast<uint32_t>(bytes));
      posted = Posted::left;
    } else {
      auto *waiting = static_cast<Waiting *>(malloc(sizeof(Waiting)));
      if (!waiting)
        no_memory_for_message(bytes);
      *waiting = {nullptr, message, bytes};
      (small ? peer.small : peer.large).push(waiting);
      add_waiting(peer, 1);
      any = send_waiting(peer);
      posted = Posted::kept;
    }
    if (any)
      wake(*peer.inbox, peer.bell);
  }
  peer.lock.unlock();
  // Whoever posted may compute from now on, and this node may be asleep, and have found nothing that waits.
  if (__builtin_expect(posted == Posted::kept, 0))
    wake(*inbox, bell);
  return posted;
}

/// Returns to how many peers anything has left.
unsigned send_all_waiting() {
  unsigned count = 0;
  for (int i = 0; i < setup.peers; i++)
    if (Peer &peer = peers[i]; peer.waiting.load(std::memory_order_relaxed) != 0 && peer.lock.try_lock()) {
      if (send_waiting(peer)) {
        wake(*peer.inbox, peer.bell);
        count++;
      }
      peer.lock.unlock();
    }
  return count;
}

void drop_parts(Peer &peer) {
  if (peer.parts)
    arrived.drop(peer.parts);
  peer.parts = nullptr;
}

/// A message has come whole.
void complete(Incoming *incoming) {
  skein_transport_answer answer = {-1, nullptr, 0};
  if (!setup.at_once || !setup.at_once(setup.context, incoming->from, incoming->message, incoming->bytes, &answer))
    return arrived.append(incoming);
  arrived.drop(incoming);
  if (answer.message && post(answer.to, answer.message, answer.bytes) != Posted::kept)
    free(answer.message);
}

/// Copies an entry out of the ring. False: it is not what a writer would write there.
bool accept(Peer &peer, int from, const Entry &entry) {
  const unsigned char *data = entry.data;
  uint32_t bytes = entry.bytes;
  if (entry.kind == Kind::whole) {
    Incoming *incoming = arrived.expect_surely(from, bytes);
    memcpy(incoming->message, data, bytes);
    peer.reader.take(entry);
    complete(incoming);
    return true;
  }
  if ((entry.kind == Kind::first) != (peer.parts == nullptr))
    return false;
  if (uint64_t all; entry.kind == Kind::first) {
    if (bytes < sizeof all)
      return false;
    memcpy(&all, data, sizeof all);
    if (all > message_most)
      return false;
    data += sizeof all;
    bytes -= sizeof all;
    peer.parts = arrived.expect_surely(from, all);
    peer.came = 0;
  }
  Incoming *incoming = peer.parts;
  if (bytes == 0 || bytes > incoming->bytes - peer.came)
    return false;
  memcpy(static_cast<char *>(incoming->message) + peer.came, data, bytes);
  peer.reader.take(entry);
  peer.came += bytes;
  if (peer.came == incoming->bytes) {
    peer.parts = nullptr;
    complete(incoming);
  }
  return true;
}

unsigned look_at(Peer &peer, int from) {
  unsigned count = 0;
  if (peer.gone.load(std::memory_order_relaxed)) {
    drop_parts(peer);
    peer.reader.detach();
    return 0;
  }
  for (; count < entries_at_once && !peer.reader.empty(); count++) {
    peer.reader.pass_skip();
    Entry entry;
    if (peer.reader.empty()) // the writer has said skip, and not yet more
      break;
    if (peer.reader.look(entry) && accept(peer, from, entry))
      continue;
    drop_parts(peer);
    peer.reader.detach();
    setup.lost(setup.context, from, "has written what cannot be where it leaves its messages");
    return count + 1;
  }
  return count;
}

unsigned look_everywhere() {
  unsigned count = 0;
  if (__builtin_expect(waiting_everywhere.load(std::memory_order_relaxed) != 0, 0))
    count += send_all_waiting(); // it is worth to look again soon
  for (int i = 0; i < setup.peers; i++)
    if (Peer &peer = peers[i]; peer.reader.attached() && !peer.reader.empty())
      count += look_at(peer, i);
  return count;
}

unsigned progress(unsigned looks) {
  if (closed.load(std::memory_order_relaxed))
    return 0;
  unsigned count = 0;
  look_repeatedly(looks, [&] { return (count = look_everywhere()) != 0; });
  arrived.deliver(arrived.take(), setup);
  return count;
}

int open(const skein_transport_setup *wanted, char *error, size_t error_bytes) {
  setup = *wanted;
  own_address = {Address::version_now, setup.peers};
  const size_t bytes = static_cast<size_t>(setup.peers) * sizeof(Peer);
  peers = static_cast<Peer *>(malloc(bytes));
  if (!peers)
    return fail(error, error_bytes, "memory for peers");
  inbox_file = memfd_create("skein-inbox", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (inbox_file < 0 || bell < 0)
    return fail(error, error_bytes, "memfd_create or eventfd");
  if (ftruncate(inbox_file, static_cast<off_t>(inbox_bytes(setup.peers))) != 0 ||
      fcntl(inbox_file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail(error, error_bytes, "ftruncate or seals");
  void *memory = mmap(nullptr, inbox_bytes(setup.peers), PROT_READ | PROT_WRITE, MAP_SHARED, inbox_file, 0);
  if (memory == MAP_FAILED)
    return fail(error, error_bytes, "mmap");
  madvise(memory, inbox_bytes(setup.peers), MADV_DONTFORK); // a child is no node
  inbox = static_cast<InboxHead *>(memory);
  for (int i = 0; i < setup.peers; i++) {
    new (peers + i) Peer;
    if (i != setup.self)
      peers[i].reader.attach(ring_of(inbox, setup.peers, i), ring_bytes(setup.peers), key_of(i, setup.self));
  }
  closed.store(false, std::memory_order_relaxed);
  return 0;
}

void address(skein_transport_address *own) { *own = {&own_address, sizeof own_address, {inbox_file, bell}}; }

int connect(int number, const skein_transport_address *remote, char *error, size_t error_bytes) {
  Address its;
  const int file = remote->descriptors[0];
  if (remote->count != sizeof its || file < 0 || remote->descriptors[1] < 0) {
    snprintf(error, error_bytes, "its address has no shared memory: is it on another host?");
    return -1;
  }
  memcpy(&its, remote->bytes, sizeof its);
  const int seals = fcntl(file, F_GET_SEALS);
  if (its.version != Address::version_now || its.nodes != setup.peers ||
      lseek(file, 0, SEEK_END) != static_cast<off_t>(inbox_bytes(setup.peers)) || seals < 0 ||
      !(seals & F_SEAL_SHRINK)) {
    snprintf(error, error_bytes, "its shared memory is not as this node makes it: is it of another version of Skein?");
    return -1;
  }
  Peer &peer = peers[number];
  if (peer.gone.load(std::memory_order_relaxed)) {
    snprintf(error, error_bytes, "it is gone");
    return -1;
  }
  void *memory = mmap(nullptr, inbox_bytes(setup.peers), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    return fail(error, error_bytes, "mmap");
  madvise(memory, inbox_bytes(setup.peers), MADV_DONTFORK);
  peer.lock.lock();
  peer.inbox = static_cast<InboxHead *>(memory);
  peer.bell = fcntl(remote->descriptors[1], F_DUPFD_CLOEXEC, 0);
  const bool has_bell = peer.bell >= 0;
  if (has_bell)
    peer.writer.attach(ring_of(peer.inbox, setup.peers, setup.self), ring_bytes(setup.peers),
                       key_of(setup.self, number));
  peer.lock.unlock();
  return has_bell ? 0 : fail(error, error_bytes, "dup");
}

int send(int to, void *message, size_t bytes) { return result_of_send(post(to, message, bytes), message); }
int lend(int to, void *message, size_t bytes) { return result_of_lend(post(to, message, bytes)); }

int wait_fd() { return bell; }

int arm() {
  uint64_t rung;
  [[maybe_unused]] const ssize_t got = read(bell, &rung, sizeof rung);
  __atomic_exchange_n(&inbox->asleep, 1, __ATOMIC_SEQ_CST); // pairs with the fence in `wake`
  for (int i = 0; i < setup.peers; i++)
    if (const Peer &peer = peers[i]; peer.reader.attached() && !peer.reader.empty()) {
      __atomic_store_n(&inbox->asleep, 0, __ATOMIC_RELAXED);
      return 0;
    }
  return waiting_everywhere.load(std::memory_order_relaxed) ? 2 : 1;
}

void drop_all(Peer &peer, Fifo<Waiting> &list) {
  while (!list.empty())
    finish_first(peer, list);
}

void disconnect(int number) {
  Peer &peer = peers[number];
  peer.gone.store(true, std::memory_order_relaxed);
  peer.lock.lock();
  peer.writer.detach();
  drop_all(peer, peer.small);
  drop_all(peer, peer.large);
  peer.left = 0;
  peer.lock.unlock();
}

unsigned pending() { return waiting_everywhere.load(std::memory_order_relaxed); }

void close() {
  for (int i = 0; i < setup.peers; i++)
    disconnect(i);
  closed.store(true, std::memory_order_relaxed);
  // The peers stay, all of them gone now, for threads that are about to send.
}

void leave() {} // nothing here is destroyed when the process ends

/// The memory is not mapped in a child (MADV_DONTFORK).
void abandon() {
  for (int i = 0; i < setup.peers; i++)
    if (peers[i].bell >= 0)
      ::close(peers[i].bell);
  ::close(inbox_file);
  ::close(bell);
}

/// The memory is not mapped in a copy either.
int forget() {
  for (int i = 0; i < setup.peers; i++) {
    Peer &peer = peers[i];
    peer.lock.reset();
    drop_all(peer, peer.small);
    drop_all(peer, peer.large);
    drop_parts(peer);
  }
  for (Incoming *next = arrived.take(); next;) {
    Incoming *incoming = next;
    next = next->next;
    arrived.drop(incoming);
  }
  free(peers);
  peers = nullptr;
  return 0;
}

constexpr skein_transport table = SKEIN_TRANSPORT_TABLE("shm");

} // namespace

} // namespace skein::shm

SKEIN_TRANSPORT_DEFINE(skein::shm::table)
