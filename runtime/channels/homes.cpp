// Homes that move, and aliases; see homes.h.
#include "channels/homes.h"
#include "base/id_table.h"
#include "base/node.h"
#include "channels/alternatives.h"
#include "channels/remote.h"
#include "net/run/leaving.h"
#include "trace/trace.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace skein {

std::atomic<bool> channels_moved{false};

namespace {

constexpr uint32_t patience_most = 1 << 20;
constexpr size_t aliases_most = 1 << 16;

constexpr size_t fill_most = 1 << 20;           // bytes in one message to a new record, but for a single longer one
constexpr size_t estate_entries_most = 1 << 12; // in a piece of an estate

SpinLock lock{Rank::leaf};
IdTable<uint64_t> aliases;

/// A record that a node had left when it left the run.
struct Inherited {
  uint64_t forward, former;
};
IdTable<Inherited> inherited; // by handle

/// Once this node has been about to leave. It spares all other nodes the closer look.
std::atomic<bool> has_left_once{false};
bool all_leave() { return has_left_once.load(std::memory_order_relaxed) && !link_takes(node.self); }

int node_of(const Party *party) {
  return party->kind == PartyKind::call || party->kind == PartyKind::there ? party->node : node.self;
}

/// A thread of this node has had a message with the other party.
void note_talk(const Party *own, const Party *other) {
  if (!own || own->kind != PartyKind::thread || !other)
    return;
  const int peer = node_of(other);
  own->thread->talking.last.store(peer == node.self ? 0 : static_cast<uint16_t>(peer + 1), std::memory_order_relaxed);
}

/// All who stand in the channel are told to ask again at its new home. The channel is still busy, so they stay as they
/// are until this takes them out, one after the other.
void redirect(Channel &channel, uint64_t forward) {
  for (;;) {
    List<Party> ended;
    Alternative *alternative = nullptr;
    {
      Guard guard(lock_of(channel));
      Party *party = channel.senders.first() ? channel.senders.first() : channel.receivers.first();
      if (!party) {
        channel.busy = false;
        if (!channel.handle) // it has been freed at its new home meanwhile
          channel_forget(channel);
        return;
      }
      party_leaves(channel, party);
      if (party->kind == PartyKind::here) { // it may end in another way meanwhile
        alternative = party->alternative;
        alternative_keep(*alternative);
      } else {
        party_over(party, code_again, forward, ended);
      }
    }
    if (!alternative) {
      parties_end(ended);
      continue;
    }
    alternative_ask_again(*alternative);
    alternative_drop(*alternative);
  }
}

/// The handle in an answer; 0 if there is none.
uint64_t handle_in(const ReplyMessage *reply, size_t data_bytes) {
  uint64_t handle = 0;
  if (reply && data_bytes == sizeof handle)
    memcpy(&handle, reply_data(reply), sizeof handle);
  return home_of(handle) < node.count ? handle : 0;
}

/// Frees a record to which the channel does not go after all. Nobody else knows its handle.
void give_back(uint64_t handle) {
  const auto freed = [](const Call &call, const ReplyMessage *reply, size_t data_bytes) {
    reply = call_checked(call, reply, data_bytes, 0);
    if (const uint64_t forward = reply && reply->value ? handle_in(reply, data_bytes) : 0)
      give_back(forward); // its node was about to leave, and the record is elsewhere
  };
  const int home = home_of(handle);
  if (uint64_t forward; home == node.self)
    return static_cast<void>(channel_close(handle, true, forward));
  Call asks = kept({freed, home, nullptr, 0, nullptr, 0});
  asks.measured = true; // the answer may be to ask again
  const uint64_t call = call_begin(asks);
  link_tell<ChannelMessage>(home, call, handle, uint64_t{SKEIN_CHANNEL_FREE}, uint64_t{0}, uint64_t{0});
  call_sent(call);
}

/// What is held, from behind `moved` on, as far as it fits into one message of so many bytes; but at least one. Sets
/// `moved` to the last one. Whoever has made the channel busy needs no lock for its buffer.
size_t fits(const Channel &channel, const StoredMessage *&moved) {
  size_t bytes = 0;
  for (const StoredMessage *next = moved ? channel.buffer.after(moved) : channel.buffer.first(); next;
       next = channel.buffer.after(next)) {
    const size_t more = fill_bytes(next->bytes);
    if (bytes && bytes + more > fill_most)
      break;
    bytes += more;
    moved = next;
  }
  return bytes;
}

void finish_fill(const Call &call, const ReplyMessage *reply, size_t data_bytes);

/// Sends to the new record what is held, behind `after`, and whether the channel is closed.
void fill(Channel &channel, uint64_t forward, const StoredMessage *after, bool closed) {
  const StoredMessage *last = after;
  const size_t bytes = fits(channel, last);
  auto *message = message_new<ChannelMessage>(bytes);
  message->channel = forward;
  message->operation = SKEIN_CHANNEL_FILL;
  message->bytes = bytes;
  message->left_ns = closed;
  auto *at = reinterpret_cast<char *>(message + 1);
  for (const StoredMessage *next = after; next != last;) {
    next = next ? channel.buffer.after(next) : channel.buffer.first();
    const uint64_t length = next->bytes;
    const size_t all = fill_bytes(length);
    memset(at + all - sizeof length, 0, sizeof length); // what fills the last word up
    memcpy(at, &length, sizeof length);
    if (length)
      memcpy(at + sizeof length, next->data, length);
    at += all;
  }
  {
    Guard guard(lock_of(channel));
    channel.deal.moved = last;
    channel.deal.closed_there = closed;
  }
  const uint64_t call = message->call = call_begin(kept({finish_fill, home_of(forward), nullptr, 0, &channel, 0}));
  link_send(home_of(forward), message, bytes);
  call_sent(call);
}

/// The channel stays here until it is asked to go again.
void move_fails(Channel &channel) {
  bool deal;
  uint64_t forward;
  List<Party> ended;
  {
    Guard guard(lock_of(channel));
    forward = channel.deal.forward;
    channel.deal = {};
    channel.busy = false;
    channel.usage.refused = all_leave();
    deal = channel_match(channel, ended);
  }
  parties_end(ended);
  if (deal)
    channel_settle(channel);
  if (forward)
    give_back(forward);
}

/// The new record is there, with all up to `deal.moved`: sends the rest, or goes there.
void move_on(Channel &channel) {
  enum { stays, fills, goes } next;
  uint64_t forward;
  const StoredMessage *moved;
  bool closed;
  {
    Guard guard(lock_of(channel));
    const Deal &deal = channel.deal;
    forward = deal.forward;
    moved = deal.moved;
    closed = channel.closed;
    const bool has_all = moved == channel.buffer.last() && closed == deal.closed_there;
    // Only node 0 is filled: it never leaves, so the record is where it was made.
    next = !channel.handle ? stays : has_all ? goes : home_of(forward) == home_heir ? fills : stays;
    if (next == goes) {
      trace(TraceEvent::rehomed, 0, channel.handle, 0, static_cast<uint16_t>(home_of(forward)));
      channel.forward.store(forward, std::memory_order_release); // pairs with channel_resolve_slow
      channels_moved.store(true, std::memory_order_relaxed);
      channel.deal = {};
    }
  }
  if (next == stays)
    return move_fails(channel);
  if (next == fills)
    return fill(channel, forward, moved, closed);
  while (StoredMessage *message = channel.buffer.pop_front()) // the channel is still busy
    message_drop(message);
  channel.held = 0;
  redirect(channel, forward);
}

void finish_fill(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto &channel = *static_cast<Channel *>(call.place);
  reply = call_checked(call, reply, data_bytes, 0);
  if (reply && !reply->value)
    return move_on(channel);
  move_fails(channel);
}

void finish_move(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto &channel = *static_cast<Channel *>(call.place);
  reply = call_checked(call, reply, data_bytes, sizeof(uint64_t));
  uint64_t forward = reply && !reply->value ? handle_in(reply, data_bytes) : 0;
  if (forward && !speaks_for(home_of(forward), call.peer))
    forward = (call_distrust(call, "it says that the channel is on node %d", home_of(forward)), 0);
  {
    Guard guard(lock_of(channel));
    channel.deal.forward = forward;
  }
  if (forward && home_of(forward) != node.self)
    return move_on(channel);
  move_fails(channel); // or the node to which it was to go has left, and this one, its heir, has made the record
}

} // namespace

uint64_t channel_resolve_slow(uint64_t handle) {
  // Each step leads to a handle that was given later, so this ends.
  for (;;) {
    uint64_t next = 0;
    if (home_of(handle) == node.self) {
      const Channel *channel = channel_record(handle);
      // After `forward`, which is forgotten first: then that is this handle's.
      next = channel ? channel->forward.load(std::memory_order_acquire) : 0;
      if (next && __atomic_load_n(&channel->handle, __ATOMIC_ACQUIRE) != handle)
        next = 0;
    } else {
      Guard guard(lock);
      if (const Inherited *known = inherited.find(handle))
        next = known->forward;
      else if (const uint64_t *told = aliases.find(handle))
        next = *told;
    }
    if (!next)
      return handle;
    handle = next;
  }
}

void channel_alias(uint64_t handle, uint64_t forward) {
  if (home_of(handle) == node.self)
    return; // the record knows
  Guard guard(lock);
  if (aliases.size() >= aliases_most)
    aliases.clear(); // those that are still needed are asked for again
  aliases[handle] = forward;
  channels_moved.store(true, std::memory_order_relaxed);
}

void usage_note(Channel &channel, const Party *source, const Party *sink) {
  Usage &usage = channel.usage;
  note_talk(source, sink);
  note_talk(sink, source);
  if (sink && node_of(sink) != node.self)
    count(statistics.channels_sent[node_of(sink)]);
  if ((source && node_of(source) == node.self) || (sink && node_of(sink) == node.self)) {
    usage.streak = 0;
  } else if (sink) {
    const int reader = node_of(sink);
    usage.streak = reader == usage.reader ? usage.streak + 1 : 1;
    usage.reader = reader;
  }
}

int home_wanted(const Channel &channel) {
  const Usage &usage = channel.usage;
  if (__builtin_expect(all_leave(), 0))
    return channel.handle && !channel.forward.load(std::memory_order_relaxed) && !usage.refused ? home_heir : -1;
  const bool moves = usage.patience && usage.streak >= usage.patience && channel.handle && !channel.closed &&
                     !channel.held && link_takes(usage.reader);
  return moves ? usage.reader : -1;
}

void home_moves(Channel &channel) {
  uint64_t handle;
  size_t capacity;
  int to;
  uint32_t patience;
  {
    Guard guard(lock_of(channel));
    to = channel.deal.new_home;
    channel.usage.streak = 0;
    if (channel.usage.patience < patience_most && !all_leave())
      channel.usage.patience *= 2; // also if it stays
    handle = channel.handle;
    capacity = channel.capacity;
    patience = channel.usage.patience;
  }
  Call asks = kept({finish_move, to, nullptr, 0, &channel, 0});
  asks.measured = true; // a node that is about to leave says "again"
  const uint64_t call = call_begin(asks);
  link_tell<ChannelMessage>(to, call, handle, uint64_t{SKEIN_CHANNEL_CREATE}, uint64_t{capacity}, uint64_t{patience});
  call_sent(call);
}

uint64_t home_forgets(Channel &channel) {
  const uint64_t former = channel.former;
  channel.forward.store(0, std::memory_order_relaxed);
  channel.former = 0;
  channel.usage = {};
  return former;
}

int home_filled(int from, uint64_t handle, const void *data, size_t bytes, bool closed) {
  List<StoredMessage> messages;
  size_t count = 0;
  for (const auto *at = static_cast<const char *>(data), *const end = at + bytes; at < end; count++) {
    uint64_t length;
    memcpy(&length, at, sizeof length);
    messages.push_back(message_copied(at + sizeof length, length));
    at += fill_bytes(length);
  }
  if (Channel *channel = channel_record(handle)) {
    Guard guard(lock_of(*channel));
    if (channel->handle == handle && channel->former && speaks_for(from, home_of(channel->former))) {
      channel->buffer.take_all(messages);
      channel->held += count;
      channel->closed |= closed;
      return SKEIN_OK;
    }
  }
  while (StoredMessage *message = messages.pop_front())
    message_drop(message);
  return SKEIN_ETHREAD;
}

uint64_t home_inherited(uint64_t handle) {
  if (__builtin_expect(home_of(handle) == node.self, 1))
    return 0;
  Guard guard(lock);
  const Inherited *known = inherited.find(handle);
  return known ? known->forward : 0;
}

void home_tell_freed(uint64_t former) {
  if (!former || !link_keeps(home_of(former)))
    return;
  if (keeper_of(home_of(former)) == node.self)
    return home_freed(node.self, former);
  link_tell<WithdrawMessage>(home_of(former), former, uint64_t{0});
}

/// The same for a record that this node has inherited.
static void inherited_freed(int from, uint64_t handle) {
  Inherited record;
  {
    Guard guard(lock);
    const Inherited *known = inherited.find(handle);
    if (!known || !speaks_for(from, home_of(known->forward)))
      return;
    inherited.take(handle, record);
  }
  home_tell_freed(record.former);
}

void home_freed(int from, uint64_t handle) {
  if (home_of(handle) != node.self)
    return inherited_freed(from, handle);
  Channel *channel = channel_record(handle);
  if (!channel)
    return;
  uint64_t former;
  {
    Guard guard(lock_of(*channel));
    const uint64_t forward = channel->forward.load(std::memory_order_relaxed);
    if (channel->handle != handle || !forward || !speaks_for(from, home_of(forward)))
      return;
    former = home_forgets(*channel);
    channel->handle = 0;
    if (!channel->busy) // else it is when those who stand in it have been told
      channel_forget(*channel);
  }
  home_tell_freed(former);
}

namespace {

// --- this node leaves the run -----------------------------------------------------------------------------------

/// Lets a channel that is still here go, if it can now. Returns whether it is.
bool let_go(Channel &channel) {
  bool tries;
  {
    Guard guard(lock_of(channel));
    const bool here = channel.handle && !channel.forward.load(std::memory_order_relaxed);
    if (!here && !channel.busy)
      return false;
    channel.usage.refused = false;
    tries = here && !channel.busy;
  }
  if (tries)
    channel_kick(channel);
  return true;
}

/// Returns how many channels are still here.
size_t let_all_go() {
  size_t count = 0;
  for (uint64_t i = 0; Channel *channel = channel_at(i); i++)
    count += let_go(*channel);
  return count;
}

void on_node_leaves(int peer) {
  if (peer != node.self)
    return;
  has_left_once.store(true, std::memory_order_relaxed);
  let_all_go();
}

const char *stays(char *words, size_t bytes) {
  const size_t count = let_all_go();
  if (!count)
    return nullptr;
  snprintf(words, bytes, "keeps %zu channel%s that cannot move now", count, count == 1 ? "" : "s");
  return words;
}

struct EstateEntry {
  uint64_t handle;
  Inherited record;
};

/// The cursor is the number of the next record.
bool next_piece(uint64_t &cursor) {
  auto *entries = static_cast<EstateEntry *>(message_memory(estate_entries_most * sizeof(EstateEntry)));
  size_t count = 0;
  Channel *channel = nullptr;
  for (; count < estate_entries_most && (channel = channel_at(cursor)); cursor++) {
    Guard guard(lock_of(*channel));
    const uint64_t forward = channel->forward.load(std::memory_order_relaxed);
    SKEIN_ASSERT(!channel->handle || forward, "channel 0x%llx is still here, and the node leaves the run",
                 static_cast<unsigned long long>(channel->handle));
    if (channel->handle)
      entries[count++] = {channel->handle, {forward, channel->former}};
  }
  if (count)
    estate_send(EstateKind::channels, entries, count * sizeof *entries);
  free(entries);
  return channel != nullptr || count;
}

bool check_piece(int from, const void *data, size_t bytes, Complaint &wrong) {
  if (bytes % sizeof(EstateEntry))
    return wrong.say("%zu bytes are no records of channels", bytes);
  const auto *entries = static_cast<const EstateEntry *>(data);
  for (size_t i = 0; i < bytes / sizeof *entries; i++) {
    const auto &[handle, record] = entries[i];
    if (home_of(handle) != from || !record.forward || record.forward == handle ||
        home_of(record.forward) >= node.count || home_of(record.former) >= node.count)
      return wrong.say("channel 0x%llx went to 0x%llx, and was 0x%llx before", static_cast<unsigned long long>(handle),
                       static_cast<unsigned long long>(record.forward), static_cast<unsigned long long>(record.former));
  }
  return true;
}

void take_piece(int, const void *data, size_t bytes) {
  const auto *entries = static_cast<const EstateEntry *>(data);
  Guard guard(lock);
  for (size_t i = 0; i < bytes / sizeof *entries; i++)
    inherited[entries[i].handle] = entries[i].record;
  channels_moved.store(true, std::memory_order_relaxed);
}

EstatePart channels_estate = {.kind = EstateKind::channels,
                              .at_once = false,
                              .next = next_piece,
                              .check = check_piece,
                              .take = take_piece,
                              .following = nullptr};
Remainder channels_remainder = {stays, nullptr};

} // namespace

void homes_after_fork() { new (&lock) SpinLock(Rank::leaf); }

void homes_start() {
  estate_add(channels_estate);
  remainder_add(channels_remainder);
  node_leaves.add(on_node_leaves);
}

} // namespace skein
