// Homes that move, and aliases; see homes.h.
#include "channels/homes.h"
#include "base/id_table.h"
#include "base/node.h"
#include "channels/alternatives.h"
#include "channels/remote.h"
#include "trace/trace.h"

#include <cstring>
#include <new>

namespace skein {

std::atomic<bool> channels_moved{false};

namespace {

constexpr uint32_t patience_most = 1 << 20;
constexpr size_t aliases_most = 1 << 16;

SpinLock lock{Rank::leaf};
IdTable<uint64_t> aliases;

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

void give_back(uint64_t handle) {
  // Nobody knows the handle, so nobody waits for the answer either.
  const auto ignore = [](const Call &, const ReplyMessage *, size_t) {};
  const int home = home_of(handle);
  const uint64_t call = call_begin({ignore, home, nullptr, 0, nullptr, 0});
  link_tell<ChannelMessage>(home, call, handle, uint64_t{SKEIN_CHANNEL_FREE}, uint64_t{0}, uint64_t{0});
  call_sent(call);
}

void finish_move(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto &channel = *static_cast<Channel *>(call.place);
  uint64_t forward = 0;
  reply = call_checked(call, reply, data_bytes, sizeof forward);
  if (reply && !reply->value)
    memcpy(&forward, reply_data(reply), sizeof forward);
  if (forward && home_of(forward) != call.peer)
    forward = (call_distrust(call, "it says that the channel is on node %d", home_of(forward)), 0);
  bool goes, deal = false;
  List<Party> ended;
  {
    Guard guard(lock_of(channel));
    goes = forward && channel.handle && !channel.closed;
    channel.deal = {};
    if (goes) {
      trace(TraceEvent::rehomed, 0, channel.handle, 0, static_cast<uint16_t>(call.peer));
      channel.forward.store(forward, std::memory_order_release); // pairs with channel_resolve_slow
      channels_moved.store(true, std::memory_order_relaxed);
    } else {
      channel.busy = false;
      deal = channel_match(channel, ended);
    }
  }
  if (goes)
    return redirect(channel, forward);
  parties_end(ended);
  if (deal)
    channel_settle(channel);
  if (forward)
    give_back(forward);
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
      if (const uint64_t *known = aliases.find(handle))
        next = *known;
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

bool home_is_to_move(const Channel &channel) {
  if (!channel.usage.patience || channel.usage.streak < channel.usage.patience || !channel.handle || channel.closed ||
      channel.held || !link_alive(channel.usage.reader))
    return false;
  for (const List<Party> *queue : {&channel.senders, &channel.receivers})
    for (const Party *party = queue->first(); party; party = queue->after(party))
      if (party->kind == PartyKind::call && party->deadline_ns != forever)
        return false; // its time would begin anew at the new home
  return true;
}

void home_moves(Channel &channel) {
  uint64_t handle;
  size_t capacity;
  int to;
  uint32_t patience;
  {
    Guard guard(lock_of(channel));
    to = channel.usage.reader;
    channel.usage.streak = 0;
    if (channel.usage.patience < patience_most)
      channel.usage.patience *= 2; // also if it stays
    handle = channel.handle;
    capacity = channel.capacity;
    patience = channel.usage.patience;
  }
  const uint64_t call = call_begin({finish_move, to, nullptr, 0, &channel, 0});
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

void home_tell_freed(uint64_t former) {
  if (!former || !link_alive(home_of(former)))
    return;
  link_tell<WithdrawMessage>(home_of(former), former, uint64_t{0});
}

void home_freed(int from, uint64_t handle) {
  Channel *channel = channel_record(handle);
  if (!channel)
    return;
  uint64_t former;
  {
    Guard guard(lock_of(*channel));
    const uint64_t forward = channel->forward.load(std::memory_order_relaxed);
    if (channel->handle != handle || !forward || home_of(forward) != from)
      return;
    former = home_forgets(*channel);
    channel->handle = 0;
    channel_forget(*channel);
  }
  home_tell_freed(former);
}

void homes_after_fork() { new (&lock) SpinLock(Rank::leaf); }

} // namespace skein
