// Accesses in parcels and in place: how they are sent, and what their answers do. parcels.h says when each is sent.
#include "dsm/parcels.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "dsm/access.h"
#include "dsm/follow.h"
#include "dsm/ranges.h"
#include "dsm/slices.h"
#include "net/messages/active.h"
#include "net/messages/calls.h"
#include "net/messages/pending.h"
#include "net/run/progress.h"
#include "net/run/termination.h"
#include "os/linux/futex.h"
#include "sched/sched.h"

#include <skein/skein.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace skein {

namespace {

// A parcel is full with items_most accesses where sending a message takes more than dear_ns, that is, a system call,
// and with items_few elsewhere.
constexpr uint32_t items_few = 32, items_most = 128;
constexpr uint64_t dear_ns = 1000;
constexpr uint64_t open_most_ns = 250000; // a parcel stays open no longer; a little more than the progress thread naps
constexpr uint32_t message_most = parcel_most, answer_most = parcel_most; // bytes of a parcel and of its answer
// A message has room for this at first: gets, and puts of a word.
constexpr uint32_t message_first = items_few * (sizeof(ParcelEntry) + 8);

/// Where the result of one access goes.
struct Item {
  Thread *waiter; // null: nobody waits, a thread has started the copy and gone on
  uint64_t address, to;
  uint32_t bytes;
  ParcelWhat what;
  uint64_t pending; // without a waiter: as in parcel_begin, like the next two
  void (*done)(uint64_t);
  uint64_t argument;
};

struct Parcel {
  Parcel *next; // in Outgoing::unused
  uint32_t count;
  uint32_t bytes, message_room;
  uint32_t answer_bytes;
  bool plain;
  bool started;     // it has an item without a waiter
  uint64_t sent_ns; // 0: its time is not measured
  ParcelMessage *message;
  Item items[items_most];
};

/// The parcels to one node.
struct Outgoing {
  SpinLock lock{Rank::dsm};
  Parcel *open = nullptr;
  uint32_t under_way = 0;
  Parcel *unused = nullptr;            // never more than were under way at once
  std::atomic<uint64_t> sending_ns{0}; // how long sending a message takes, a running mean of samples
};

Outgoing *outgoing;               // by node
__thread bool was_alone;          // the last access of this worker was answered in place
__thread ParcelMessage *lone;     // the message for accesses in place of this worker; null: the transport has it
std::atomic<uint32_t> open_count; // open parcels of this node
// Parcels that are not open any more and not sent yet. The kernel thread that sends one may be interrupted in between,
// for a long time.
std::atomic<uint32_t> leaving_count;

const char *name_of(ParcelWhat what) {
  switch (what) {
  case ParcelWhat::get:
    return "read";
  case ParcelWhat::put:
    return "wrote";
  default:
    return "operated atomically on";
  }
}

const char *reason_of(ParcelWhat what) {
  switch (what) {
  case ParcelWhat::get:
    return "a read of shared memory";
  case ParcelWhat::put:
    return "a write to shared memory";
  default:
    return "an atomic operation on shared memory";
  }
}

Item item_of(Thread *waiter, const RemoteAccess &access) {
  return {waiter, access.address, access.to, access.bytes, access.what, 0, nullptr, 0};
}

/// The time, for one message in 16; 0 for the others, whose time is not measured.
uint64_t began_ns() {
  static __thread uint32_t turns;
  return ++turns % 16 ? 0 : clock_ns();
}
void note_read_time(const Item &item, uint64_t sent_ns) {
  if (sent_ns && item.what == ParcelWhat::get)
    follow_read_took(item.bytes, clock_ns() - sent_ns);
}

/// How many bytes an access adds to a parcel. answer_bytes: to its answer.
uint32_t entry_bytes(const RemoteAccess &access) {
  return static_cast<uint32_t>(sizeof(ParcelEntry) + parcel_padded(access.request_bytes()));
}
uint32_t answer_bytes(const RemoteAccess &access) {
  return static_cast<uint32_t>(sizeof(ParcelResult) + parcel_padded(access.result_bytes()));
}

void put_entry(char *to, const RemoteAccess &access) {
  const ParcelEntry entry = {access.address, access.bytes, access.what, access.operation, 0};
  memcpy(to, &entry, sizeof entry);
  if (const uint32_t brought = access.request_bytes(); brought == 8) // a word, as in most accesses
    memcpy(to + sizeof entry, access.data, 8);
  else if (brought)
    memcpy(to + sizeof entry, access.data, brought);
}

/// Decodes the next outcome in `reply`, an answer that was checked; null: the owner is dead. Returns whether the access
/// was made.
bool next_outcome(const ReplyMessage *reply, const char *&at, int owner, ParcelOutcome &outcome) {
  if (!reply) {
    outcome.code = SKEIN_EDEAD;
    snprintf(outcome.why, sizeof outcome.why, "node %d died", owner);
    return false;
  }
  ParcelResult head;
  memcpy(&head, at, sizeof head);
  outcome.code = static_cast<int>(head.code);
  outcome.data = at + sizeof head;
  at = outcome.data + parcel_padded(head.bytes);
  if (__builtin_expect(head.code != 0, 0))
    snprintf(outcome.why, sizeof outcome.why, "%.*s", static_cast<int>(head.bytes), outcome.data);
  return !head.code;
}

/// How many bytes the result of an access has, if the access was made.
uint64_t result_bytes_of(const Item &item) {
  return item.what == ParcelWhat::put ? 0 : item.what == ParcelWhat::get ? item.bytes : parcel_word(item.bytes);
}

/// Returns the answer if it has exactly one result for each of `count` accesses, the one of access i with
/// result_bytes(i) bytes. Else it is distrusted (call_distrust), and null is returned.
template <class ResultBytes>
const ReplyMessage *checked_answer(const Call &call, const ReplyMessage *reply, size_t data_bytes, uint32_t count,
                                   ResultBytes &&result_bytes) {
  if (!reply)
    return nullptr;
  if (reply->value)
    return call_distrust(call, "0x%llx is no answer to a parcel", static_cast<unsigned long long>(reply->value));
  const auto *at = reinterpret_cast<const char *>(reply + 1);
  size_t left = data_bytes;
  for (uint32_t i = 0; i < count; i++) {
    ParcelResult head;
    if (left < sizeof head)
      return call_distrust(call, "it answers %u of %u accesses", i, count);
    memcpy(&head, at, sizeof head);
    const uint64_t padded = sizeof head + parcel_padded(head.bytes), wanted = result_bytes(i);
    if (left < padded || head.code > error_most || (!head.code && head.bytes != wanted))
      return call_distrust(call, "%u bytes and the code %u answer an access that gives %llu bytes", head.bytes,
                           head.code, static_cast<unsigned long long>(wanted));
    at += padded;
    left -= padded;
  }
  return left ? call_distrust(call, "%zu bytes are left behind its results", left) : reply;
}

/// Stores the result of an access where it belongs, and returns the result of the thread's call.
uint64_t store_result(const Item &item, const char *data) {
  if (item.what == ParcelWhat::put)
    return 0;
  if (item.to) // perhaps on the stack of the waiter, which stays where it is while it is blocked
    copy_words(reinterpret_cast<void *>(item.to), data, item.bytes);
  uint64_t value; // results are padded to whole words
  memcpy(&value, data, sizeof value);
  return item.bytes < sizeof value ? value & ((UINT64_C(1) << 8 * item.bytes) - 1) : value;
}

// --- in parcels -----------------------------------------------------------------------------------------------------

/// A parcel that is empty. Under the lock of `to`.
Parcel *parcel_new(Outgoing &to) {
  Parcel *parcel = to.unused;
  if (parcel)
    to.unused = parcel->next;
  else
    parcel = static_cast<Parcel *>(message_memory(sizeof(Parcel)));
  parcel->count = parcel->bytes = parcel->answer_bytes = 0;
  parcel->plain = true;
  parcel->started = false;
  parcel->message_room = message_first;
  parcel->message = message_new<ParcelMessage>(message_first);
  return parcel;
}

void add_to_parcel(Parcel &parcel, const Item &item, const RemoteAccess &access) {
  const uint32_t more = entry_bytes(access);
  if (parcel.bytes + more > parcel.message_room) {
    parcel.message = static_cast<ParcelMessage *>(realloc(parcel.message, sizeof(ParcelMessage) + message_most));
    if (!parcel.message)
      fatal("out of memory for a message of %u bytes", message_most);
    parcel.message_room = message_most;
  }
  put_entry(reinterpret_cast<char *>(parcel.message + 1) + parcel.bytes, access);
  parcel.bytes += more;
  parcel.answer_bytes += answer_bytes(access);
  parcel.plain = parcel.plain && access.plain;
  parcel.started = parcel.started || !item.waiter;
  parcel.items[parcel.count++] = item;
}

bool fits(const Parcel &parcel, const RemoteAccess &access) {
  return parcel.bytes + entry_bytes(access) <= message_most &&
         parcel.answer_bytes + answer_bytes(access) <= answer_most;
}

/// Takes the open parcel, which the caller must send. Under the lock of `to`.
Parcel *close_parcel(Outgoing &to) {
  Parcel *parcel = to.open;
  to.open = nullptr;
  to.under_way++;
  leaving_count.fetch_add(1, std::memory_order_relaxed);
  open_count.fetch_sub(1, std::memory_order_release); // partner: the acquire in any_to_leave
  return parcel;
}

void finish_parcel(const Call &call, const ReplyMessage *reply, size_t data_bytes);

void send_parcel(int owner, Parcel *parcel) {
  ParcelMessage *message = parcel->message;
  const bool plain = parcel->plain;
  const uint64_t bytes = parcel->bytes;
  const uint64_t began = parcel->sent_ns = began_ns();
  const uint64_t call = message->call = call_begin(kept({finish_parcel, owner, nullptr, 0, parcel, 0}));
  if (__builtin_expect(knobs.fault == Fault::late_parcels, 0))
    usleep(20000);
  link_send(owner, message, bytes, plain);
  leaving_count.fetch_sub(1, std::memory_order_release); // partner: the acquire in any_to_leave
  if (began) {
    std::atomic<uint64_t> &mean = outgoing[owner].sending_ns;
    const uint64_t was = mean.load(std::memory_order_relaxed);
    mean.store(was - was / 8 + (clock_ns() - began) / 8, std::memory_order_relaxed);
  }
  call_sent(call); // the answer may have come, so the parcel may be unused again
}

/// Hands the outcome of an access on. True: its waiter has the result and must be woken. False: there is no waiter, or
/// it ends, or it follows its data to another node.
bool finish_item(const Item &item, const ParcelOutcome &outcome) {
  const uint64_t value = outcome.code ? 0 : store_result(item, outcome.data);
  if (item.waiter && !outcome.code) {
    item.waiter->result = value;
    return !follow_leaves(item.waiter, value);
  }
  if (item.waiter) {
    access_fails(item.waiter, name_of(item.what), item.address, item.bytes, outcome.why);
    return false;
  }
  if (outcome.code)
    access_begun_fails(item.pending, outcome.code, name_of(item.what), item.address, item.bytes, outcome.why);
  else
    pending_end(item.pending, SKEIN_OK, nullptr);
  item.done(item.argument);
  return false;
}

void finish_parcel(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *parcel = static_cast<Parcel *>(call.place);
  Outgoing &to = outgoing[call.peer];
  note_read_time(parcel->items[0], parcel->sent_ns);
  reply = checked_answer(call, reply, data_bytes, parcel->count,
                         [&](uint32_t i) { return result_bytes_of(parcel->items[i]); });
  const char *at = reply_data(reply);
  Thread *woken[items_most];
  uint32_t count = 0;
  for (uint32_t i = 0; i < parcel->count; i++) {
    const Item &item = parcel->items[i];
    ParcelOutcome outcome;
    next_outcome(reply, at, call.peer, outcome);
    if (finish_item(item, outcome))
      woken[count++] = item.waiter;
  }
  Parcel *next = nullptr;
  {
    Guard guard(to.lock);
    parcel->next = to.unused;
    to.unused = parcel;
    if (--to.under_way == 0 && to.open && to.open->started)
      next = close_parcel(to);
  }
  if (next)
    send_parcel(call.peer, next);
  threads_wake(woken, count);
}

/// Adds an access to the open parcel, and sends the parcel if it is time.
void add_access(int owner, const Item &item, const RemoteAccess &access) {
  Outgoing &to = outgoing[owner];
  Parcel *full = nullptr, *ready = nullptr;
  bool opened = false;
  {
    Guard guard(to.lock);
    if (to.open && !fits(*to.open, access))
      full = close_parcel(to);
    if (!to.open) {
      opened = true;
      to.open = parcel_new(to);
      open_count.fetch_add(1, std::memory_order_seq_cst); // before progress_looks_within; partner: send_all_open
    }
    add_to_parcel(*to.open, item, access);
    const bool dear = to.sending_ns.load(std::memory_order_relaxed) > dear_ns;
    if (to.open->count >= (dear ? items_most : items_few) ||
        (item.waiter ? workers_resting() != 0 : to.under_way == 0) || (opened && !progress_looks_within(open_most_ns)))
      ready = close_parcel(to);
  }
  if (full)
    send_parcel(owner, full);
  if (ready)
    send_parcel(owner, ready);
}

Thread *access_in_parcel(Thread *self, int owner, const RemoteAccess &access) {
  was_alone = false;
  block_for(self, reason_of(access.what), access.address);
  follow_count(self, access.address);
  add_access(owner, item_of(self, access), access);
  return thread_next();
}

/// Whether there are parcels that are not sent yet, or changes that may wait for a newcomer. Each parcel counts as
/// leaving before it ceases to count as open, and is sent before it ceases to count as leaving, so none is missed in
/// between.
bool any_to_leave() {
  return open_count.load(std::memory_order_acquire) || leaving_count.load(std::memory_order_acquire) || ranges_inform();
}

/// Sends all open parcels. Called before a worker becomes idle, and by the progress thread.
void send_all_open() {
  // Partner: the addition in add_access. A worker that opens a parcel meanwhile is not idle, or sees when the progress
  // thread looks next.
  if (!open_count.load(std::memory_order_seq_cst))
    return;
  for (int owner = 0; owner < node.count; owner++) {
    Outgoing &to = outgoing[owner];
    Parcel *parcel = nullptr;
    {
      Guard guard(to.lock);
      if (to.open)
        parcel = close_parcel(to);
    }
    if (parcel)
      send_parcel(owner, parcel);
  }
}

// --- in place --------------------------------------------------------------------------------------------------------

/// An access in place. It lies on the worker's stack.
struct InPlace {
  Item item;
  uint64_t value;
  ParcelOutcome outcome;
  std::atomic<bool> done;
};

/// The answer has come while the worker drives.
void finish_in_place(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *access = static_cast<InPlace *>(call.place);
  if (parcel_done(call, reply, data_bytes, result_bytes_of(access->item), access->outcome))
    access->value = store_result(access->item, access->outcome.data);
  access->done.store(true, std::memory_order_release); // pairs with the acquire in the driver; `access` may be gone now
}

/// The answer has come after the thread was blocked.
void finish_late(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *item = static_cast<Item *>(call.place);
  ParcelOutcome outcome;
  parcel_done(call, reply, data_bytes, result_bytes_of(*item), outcome);
  Thread *waiter = item->waiter;
  if (finish_item(*item, outcome))
    threads_wake(&waiter, 1);
  free(item);
}

/// The answer takes too long: the thread is blocked, and finish_late gets the answer. False: the answer has come after
/// all.
bool becomes_late(Thread *self, int owner, uint64_t call, const InPlace &access) {
  auto *item = static_cast<Item *>(message_memory(sizeof(Item)));
  *item = access.item;
  block_for(self, reason_of(item->what), item->address);
  if (call_attach(call, kept({finish_late, owner, nullptr, 0, item, 0})))
    return true;
  free(item);
  while (!access.done.load(std::memory_order_acquire)) // finish_in_place is running in another kernel thread
    __builtin_ia32_pause();
  go_on(self, 0);
  return false;
}

Thread *access_in_place(Thread *self, int owner, const RemoteAccess &access) {
  InPlace place;
  place.item = item_of(self, access);
  place.value = 0;
  place.done.store(false, std::memory_order_relaxed);
  const uint32_t bytes = entry_bytes(access);
  if (!lone)
    lone = message_new<ParcelMessage>(sizeof(ParcelEntry) + parcel_access_most);
  put_entry(reinterpret_cast<char *>(lone + 1), access);
  const uint64_t sent_ns = began_ns();
  const uint64_t call = lone->call = call_begin_in_place(kept({finish_in_place, owner, nullptr, 0, &place, 0}));
  if (link_lend(owner, &lone->header, sizeof *lone + bytes, access.plain))
    lone = nullptr; // the transport still needs it
  call_sent(call);
  follow_count(self, access.address);
  was_alone = progress_drive_for(place.done);
  if (!was_alone && becomes_late(self, owner, call, place))
    return thread_next();
  if (place.outcome.code)
    return access_ended(self, name_of(access.what), access.address, access.bytes, place.outcome.why);
  note_read_time(place.item, sent_ns);
  if (follow_leaves(self, place.value))
    return thread_next();
  self->result = place.value;
  return self;
}

} // namespace

Thread *parcel_access(Thread *self, const RemoteAccess &access) {
  const int owner = slice_owner(access.address);
  // If the last access was answered in place, this one mostly is, too. progress_drive_for looks whether other threads
  // are ready when the message is on its way.
  return !open_count.load(std::memory_order_relaxed) && (was_alone || threads_ready() == 0)
             ? access_in_place(self, owner, access)
             : access_in_parcel(self, owner, access);
}

void parcel_begin(const RemoteAccess &access, uint64_t pending, void (*done)(uint64_t), uint64_t argument) {
  Item item = item_of(nullptr, access);
  item.pending = pending;
  item.done = done;
  item.argument = argument;
  add_access(slice_owner(access.address), item, access);
}

ParcelMessage *parcel_of(const RemoteAccess &access) {
  auto *message = message_new<ParcelMessage>(entry_bytes(access));
  put_entry(reinterpret_cast<char *>(message + 1), access);
  return message;
}

void parcel_send(ParcelMessage *message, bool plain, const Call &call) {
  ParcelEntry entry;
  memcpy(&entry, message + 1, sizeof entry);
  const int owner = call.peer;
  const uint64_t number = message->call = call_begin(kept(call));
  link_send(owner, message, sizeof entry + parcel_request_bytes(entry), plain);
  call_sent(number);
}

bool parcel_done(const Call &call, const ReplyMessage *reply, size_t data_bytes, uint64_t result_bytes,
                 ParcelOutcome &outcome) {
  reply = checked_answer(call, reply, data_bytes, 1, [&](uint32_t) { return result_bytes; });
  const char *at = reply_data(reply);
  return next_outcome(reply, at, call.peer, outcome);
}

void parcels_start() {
  if (node.count == 1)
    return;
  outgoing = static_cast<Outgoing *>(message_memory(static_cast<size_t>(node.count) * sizeof(Outgoing)));
  for (int peer = 0; peer < node.count; peer++)
    new (&outgoing[peer]) Outgoing();
  progress_before_idle = send_all_open;
  messages_about_to_leave = any_to_leave;
}

} // namespace skein
