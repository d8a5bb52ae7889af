// Open parcels, and accesses in place; see parcels.h.
#include "dsm/parcels.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "dsm/access.h"
#include "dsm/follow.h"
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

constexpr uint32_t items_few = 32, items_most = 128; // what a parcel is full with, by what a message costs
constexpr uint64_t dear_ns = 1000;                   //   … to send: a system call, or none
constexpr uint64_t wait_most_ns = 250000;            // for company; a little more than the progress thread naps
constexpr uint32_t message_most = parcel_most, answer_most = parcel_most; // bytes of a parcel and of its answer
constexpr uint32_t message_first = items_few * (sizeof(ParcelEntry) + 8); // room at first: gets, and puts of a word

/// What becomes of one access's result.
struct Item {
  Thread *waiter; // null: a copy that was started
  uint64_t address, to;
  uint32_t bytes;
  ParcelWhat what;
  uint64_t pending; // of such a copy, as in parcel_begin
  void (*done)(uint64_t);
  uint64_t argument;
};

struct Parcel {
  Parcel *next; // of those that are unused
  uint32_t count;
  uint32_t bytes, message_room;
  uint32_t answer_bytes;
  bool plain;
  bool started;     // has copies that were started
  uint64_t sent_ns; // 0: nobody wants to know how long it took
  ParcelMessage *message;
  Item items[items_most];
};

struct Outgoing {
  SpinLock lock{Rank::dsm};
  Parcel *open = nullptr;
  uint32_t under_way = 0;
  Parcel *unused = nullptr;            // never more than were under way at once
  std::atomic<uint64_t> sending_ns{0}; // that sending takes; a running mean of some
};

Outgoing *outgoing;               // by node
__thread bool was_alone;          // this worker's thread, when it last asked
__thread ParcelMessage *lone;     // this worker's, for who is alone
std::atomic<uint32_t> open_count; // of them
// Parcels that are not open any more, and not yet sent: whoever sends them may be interrupted in between, for long.
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

/// Now and then somebody looks how long it takes.
uint64_t began_ns() {
  static __thread uint32_t turns;
  return ++turns % 16 ? 0 : clock_ns();
}
void took(const Item &item, uint64_t sent_ns) {
  if (sent_ns && item.what == ParcelWhat::get)
    follow_read_took(item.bytes, clock_ns() - sent_ns);
}

/// How many bytes an access adds to a parcel, and to its answer.
uint32_t entry_bytes(const RemoteAccess &access) {
  return static_cast<uint32_t>(sizeof(ParcelEntry) + parcel_padded(access.brings()));
}
uint32_t answer_bytes(const RemoteAccess &access) {
  return static_cast<uint32_t>(sizeof(ParcelResult) + parcel_padded(access.gives()));
}

void put_entry(char *to, const RemoteAccess &access) {
  const ParcelEntry entry = {access.address, access.bytes, access.what, access.operation, 0};
  memcpy(to, &entry, sizeof entry);
  if (const uint32_t brought = access.brings(); brought == 8) // most are
    memcpy(to + sizeof entry, access.data, 8);
  else if (brought)
    memcpy(to + sizeof entry, access.data, brought);
}

/// The next outcome in an answer that was checked, `reply`; null: the owner is dead. Whether it was done.
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

/// How many bytes the result of an access has, if it was done.
uint64_t gives(const Item &item) {
  return item.what == ParcelWhat::put ? 0 : item.what == ParcelWhat::get ? item.bytes : parcel_word(item.bytes);
}

/// The answer if it has a result for each of `count` accesses, of gives(i) bytes, and nothing more. Else null
/// (call_distrust).
template <class Gives>
const ReplyMessage *checked(const Call &call, const ReplyMessage *reply, size_t data_bytes, uint32_t count,
                            Gives &&gives) {
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
    const uint64_t padded = sizeof head + parcel_padded(head.bytes), wanted = gives(i);
    if (left < padded || head.code > SKEIN_ELOCK || (!head.code && head.bytes != wanted))
      return call_distrust(call, "%u bytes and the code %u answer an access that gives %llu bytes", head.bytes,
                           head.code, static_cast<unsigned long long>(wanted));
    at += padded;
    left -= padded;
  }
  return left ? call_distrust(call, "%zu bytes are left behind its results", left) : reply;
}

/// What an access brought goes where it belongs. The thread's result.
uint64_t take(const Item &item, const char *data) {
  if (item.what == ParcelWhat::put)
    return 0;
  if (item.to) // perhaps on the stack of the waiter, who stays where he is
    copy_words(reinterpret_cast<void *>(item.to), data, item.bytes);
  uint64_t value; // results are padded to whole words
  memcpy(&value, data, sizeof value);
  return item.bytes < sizeof value ? value & ((UINT64_C(1) << 8 * item.bytes) - 1) : value;
}

// --- company ---------------------------------------------------------------------------------------------------------

/// Under the lock.
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

void add(Parcel &parcel, const Item &item, const RemoteAccess &access) {
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

/// The open parcel, which is to be sent. Under the lock.
Parcel *close(Outgoing &to) {
  Parcel *parcel = to.open;
  to.open = nullptr;
  to.under_way++;
  leaving_count.fetch_add(1, std::memory_order_relaxed);
  open_count.fetch_sub(1, std::memory_order_release); // partner: the acquire in any_to_leave
  return parcel;
}

void finish_parcel(const Call &call, const ReplyMessage *reply, size_t data_bytes);

void send(int owner, Parcel *parcel) {
  ParcelMessage *message = parcel->message;
  const bool plain = parcel->plain;
  const uint64_t bytes = parcel->bytes;
  const uint64_t began = parcel->sent_ns = began_ns();
  const uint64_t call = message->call = call_begin({finish_parcel, owner, nullptr, 0, parcel, 0});
  if (__builtin_expect(knobs.fault == Fault::late_parcels, 0))
    usleep(20000);
  link_send(owner, message, bytes, plain);
  leaving_count.fetch_sub(1, std::memory_order_release); // partner: the acquire in any_to_leave
  if (began) {
    std::atomic<uint64_t> &mean = outgoing[owner].sending_ns;
    const uint64_t was = mean.load(std::memory_order_relaxed);
    mean.store(was - was / 8 + (clock_ns() - began) / 8, std::memory_order_relaxed);
  }
  call_sent(call); // from here on it may be gone
}

/// What became of it is there: the thread has its result and is to be woken; false: it ends, or leaves.
bool finish_item(const Item &item, const ParcelOutcome &outcome) {
  const uint64_t value = outcome.code ? 0 : take(item, outcome.data);
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
  took(parcel->items[0], parcel->sent_ns);
  reply = checked(call, reply, data_bytes, parcel->count, [&](uint32_t i) { return gives(parcel->items[i]); });
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
      next = close(to);
  }
  if (next)
    send(call.peer, next);
  threads_wake(woken, count);
}

/// It joins the open parcel, which leaves if it is time.
void join(int owner, const Item &item, const RemoteAccess &access) {
  Outgoing &to = outgoing[owner];
  Parcel *full = nullptr, *ready = nullptr;
  bool opened = false;
  {
    Guard guard(to.lock);
    if (to.open && !fits(*to.open, access))
      full = close(to);
    if (!to.open) {
      opened = true;
      to.open = parcel_new(to);
      open_count.fetch_add(1, std::memory_order_seq_cst); // before the look at who looks
    }
    add(*to.open, item, access);
    const bool dear = to.sending_ns.load(std::memory_order_relaxed) > dear_ns;
    if (to.open->count >= (dear ? items_most : items_few) ||
        (item.waiter ? workers_resting() != 0 : to.under_way == 0) || (opened && !progress_looks_within(wait_most_ns)))
      ready = close(to);
  }
  if (full)
    send(owner, full);
  if (ready)
    send(owner, ready);
}

Thread *in_company(Thread *self, int owner, const RemoteAccess &access) {
  was_alone = false;
  thread_block(self, reason_of(access.what), reinterpret_cast<void *>(access.address));
  follow_count(self, owner);
  join(owner, item_of(self, access), access);
  return thread_next();
}

/// A parcel counts as leaving before it is no longer open, and as sent before it is no longer leaving.
bool any_to_leave() {
  return open_count.load(std::memory_order_acquire) || leaving_count.load(std::memory_order_acquire);
}

/// Before a worker becomes idle, and now and then.
void send_all_open() {
  if (!open_count.load(std::memory_order_seq_cst)) // who opens one is no idle worker, or sees when the next look is
    return;
  for (int owner = 0; owner < node.count; owner++) {
    Outgoing &to = outgoing[owner];
    Parcel *parcel = nullptr;
    {
      Guard guard(to.lock);
      if (to.open)
        parcel = close(to);
    }
    if (parcel)
      send(owner, parcel);
  }
}

// --- alone -----------------------------------------------------------------------------------------------------------

/// On the worker's stack, as long as the call is in place.
struct InPlace {
  Item item;
  uint64_t value;
  ParcelOutcome outcome;
  std::atomic<bool> done;
};

/// At once, or not.
void finish_in_place(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *access = static_cast<InPlace *>(call.place);
  if (parcel_done(call, reply, data_bytes, gives(access->item), access->outcome))
    access->value = take(access->item, access->outcome.data);
  access->done.store(true, std::memory_order_release); // pairs with the acquire of who drives; it may be gone now
}

/// As finish_parcel, of one that was in place.
void finish_late(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *item = static_cast<Item *>(call.place);
  ParcelOutcome outcome;
  parcel_done(call, reply, data_bytes, gives(*item), outcome);
  Thread *waiter = item->waiter;
  if (finish_item(*item, outcome))
    threads_wake(&waiter, 1);
  free(item);
}

/// It took too long: the call goes on with its thread blocked. False: it is done after all.
bool becomes_late(Thread *self, int owner, uint64_t call, const InPlace &access) {
  auto *item = static_cast<Item *>(message_memory(sizeof(Item)));
  *item = access.item;
  thread_block(self, reason_of(item->what), reinterpret_cast<void *>(item->address));
  if (call_attach(call, {finish_late, owner, nullptr, 0, item, 0}))
    return true;
  free(item);
  while (!access.done.load(std::memory_order_acquire)) // it is being finished
    __builtin_ia32_pause();
  go_on(self, 0);
  return false;
}

Thread *alone(Thread *self, int owner, const RemoteAccess &access) {
  InPlace place;
  place.item = item_of(self, access);
  place.value = 0;
  place.done.store(false, std::memory_order_relaxed);
  const uint32_t bytes = entry_bytes(access);
  if (!lone)
    lone = message_new<ParcelMessage>(sizeof(ParcelEntry) + parcel_access_most);
  put_entry(reinterpret_cast<char *>(lone + 1), access);
  const uint64_t sent_ns = began_ns();
  const uint64_t call = lone->call = call_begin_in_place({finish_in_place, owner, nullptr, 0, &place, 0});
  if (link_lend(owner, &lone->header, sizeof *lone + bytes, access.plain))
    lone = nullptr; // it is still needed there
  call_sent(call);
  follow_count(self, owner);
  was_alone = progress_drive_for(place.done);
  if (!was_alone && becomes_late(self, owner, call, place))
    return thread_next();
  if (place.outcome.code)
    return access_ended(self, name_of(access.what), access.address, access.bytes, place.outcome.why);
  took(place.item, sent_ns);
  if (follow_leaves(self, place.value))
    return thread_next();
  self->result = place.value;
  return self;
}

} // namespace

Thread *parcel_access(Thread *self, const RemoteAccess &access) {
  const int owner = slice_owner(access.address);
  // Who was alone mostly still is; whether that is so is looked at when the message is on its way.
  return !open_count.load(std::memory_order_relaxed) && (was_alone || threads_ready() == 0)
             ? alone(self, owner, access)
             : in_company(self, owner, access);
}

void parcel_begin(const RemoteAccess &access, uint64_t pending, void (*done)(uint64_t), uint64_t argument) {
  Item item = item_of(nullptr, access);
  item.pending = pending;
  item.done = done;
  item.argument = argument;
  join(slice_owner(access.address), item, access);
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
  const uint64_t number = message->call = call_begin(call);
  link_send(owner, message, sizeof entry + parcel_request_bytes(entry), plain);
  call_sent(number);
}

bool parcel_done(const Call &call, const ReplyMessage *reply, size_t data_bytes, uint64_t gives,
                 ParcelOutcome &outcome) {
  reply = checked(call, reply, data_bytes, 1, [&](uint32_t) { return gives; });
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
