// Records of channels, and how parties meet; see channel.h.
#include "channels/channel.h"
#include "channels/alternatives.h"
#include "channels/deadlines.h"
#include "channels/remote.h"
#include "net/wire/link.h"
#include "sched/timers.h"
#include "sync/ending.h"

#include <cstdio>
#include <cstring>
#include <new>

namespace skein {

namespace {

// --- records ---------------------------------------------------------------------------------------------------------

// The number in a handle: which record, and how often that was used before.
constexpr unsigned index_bits = 24;
constexpr uint64_t uses_most = UINT64_C(1) << (id_node_shift - index_bits);
constexpr uint64_t per_block = 256, blocks_most = (UINT64_C(1) << index_bits) / per_block;

SpinLock lock{Rank::leaf};
Channel *blocks[blocks_most];
std::atomic<uint64_t> records{0};
Channel *first_free;

Channel *record(uint64_t index) {
  Channel *block = index < records.load(std::memory_order_acquire) ? blocks[index / per_block] : nullptr;
  return block ? block + index % per_block : nullptr;
}

/// A record that nobody uses; null without memory.
Channel *take_record() {
  Guard guard(lock);
  if (Channel *free = first_free) {
    first_free = free->next_free;
    return free;
  }
  const uint64_t index = records.load(std::memory_order_relaxed), block = index / per_block;
  if (block == blocks_most)
    return nullptr;
  if (!blocks[block]) {
    void *memory = malloc(per_block * sizeof(Channel));
    if (!memory)
      return nullptr;
    blocks[block] = static_cast<Channel *>(memory);
    for (uint64_t i = 0; i < per_block; i++)
      new (blocks[block] + i) Channel();
  }
  Channel *fresh = blocks[block] + index % per_block;
  fresh->number = index;
  records.store(index + 1, std::memory_order_release);
  return fresh;
}

/// Under the channel's lock: nobody stands in it any more. A record whose handles are used up is left alone.
void give_record_back(Channel &channel) {
  channel.closed = false;
  channel.capacity = 0;
  if (++channel.used == uses_most)
    return;
  Guard guard(lock);
  channel.next_free = first_free;
  first_free = &channel;
}

// --- parties ---------------------------------------------------------------------------------------------------------

List<Party> &queue_of(Channel &channel, const Party *party) {
  return party->sends ? channel.senders : channel.receivers;
}

/// The wish in whose frame the party of a thread lies.
skein_channel_wish *wish_of(Party *party) {
  return reinterpret_cast<skein_channel_wish *>(reinterpret_cast<std::byte *>(party) -
                                                offsetof(skein_channel_wish, reserved));
}
static_assert(sizeof(Party) <= sizeof(skein_channel_wish::reserved));

Party *party_of(const Thread *thread) { return reinterpret_cast<Party *>(thread->wait_detail); }

void withdrawn(Thread *thread, Woken &) {
  Party *party = party_of(thread);
  auto *channel = static_cast<Channel *>(thread->wait.object);
  party->waits = false;
  queue_of(*channel, party).remove(party);
  party->state = PartyState::over;
}

/// The bytes that lie in a frame which is about to move look like addresses no more.
void wipe(Party *party) { memset(static_cast<void *>(party), 0, sizeof *party); }

void moved(Thread *thread) {
  Party *party = party_of(thread);
  const uint64_t now = clock_ns(), deadline = party->deadline_ns;
  wish_of(party)->left_ns = deadline == forever ? forever : deadline > now ? deadline - now : 0;
  wipe(party);
  thread->result = SKEIN_CHANNEL_AGAIN;
}

void go_on(Thread *thread, uint64_t result) {
  wipe(party_of(thread));
  wait_end(thread, result);
}

void describe(const Thread &thread, char *to, size_t bytes) {
  auto *channel = static_cast<const Channel *>(thread.wait.object);
  snprintf(to, bytes, "channel %llu of this node", static_cast<unsigned long long>(thread_id_number(channel->handle)));
}

constexpr WaitKind send_kind = {
    .call = "skein_channel_send", .withdrawn = withdrawn, .go_on = go_on, .moved = moved, .describe = describe};
constexpr WaitKind receive_kind = {
    .call = "skein_channel_receive", .withdrawn = withdrawn, .go_on = go_on, .moved = moved, .describe = describe};
const WaitKind &kind_of(const Party *party) { return party->sends ? send_kind : receive_kind; }

/// Where the bytes of what a party sends are.
const void *data_of(const Party *party) { return party->message ? party->message->data : party->data; }

void over(Party *party, int code, size_t bytes, List<Party> &ended) {
  party->state = PartyState::over;
  party->code = code;
  party->bytes = bytes;
  ended.push_back(party);
}

/// Under the lock: a party of a deal that has come to nothing stands first in its queue again, unless it is over.
/// Returns the id of a thread that was cancelled meanwhile, or 0.
uint64_t put_back(Channel &channel, Party *party, List<Party> &ended) {
  if (party->kind == PartyKind::here && alternative_is_over(*party->alternative))
    return 0;
  if (party->deadline_ns != forever && party->deadline_ns <= clock_ns()) {
    over(party, SKEIN_ETIME, 0, ended);
    return 0;
  }
  party->state = PartyState::standing;
  queue_of(channel, party).push_front(party);
  if (party->kind == PartyKind::call)
    deadline_add(party);
  if (party->kind != PartyKind::thread)
    return 0;
  party->waits = true;
  return wait_again(party->thread, kind_of(party), &channel, party->deadline_ns);
}

/// Messages of more bytes are copied without the lock, as part of a deal.
constexpr size_t large = 4096;

/// The message passes, between parties that are nobody else's; none of them is a case that has not agreed. Without a
/// sink it is returned, for the buffer. The lock is not needed.
StoredMessage *pass(Party *source, StoredMessage *message, Party *sink, List<Party> &ended) {
  const void *data = source ? data_of(source) : message->data;
  const size_t bytes = source ? source->bytes : message->bytes;
  if (!sink || sink->kind == PartyKind::call) {
    if (source && source->message) {
      message = source->message;
      source->message = nullptr;
    } else if (source) {
      message = message_copied(data, bytes);
    }
    if (sink)
      sink->message = message;
  } else {
    if (bytes)
      memcpy(sink->data, data, bytes);
    if (message)
      message_drop(message);
  }
  if (source)
    over(source, SKEIN_OK, 0, ended);
  if (sink)
    over(sink, SKEIN_OK, bytes, ended);
  return sink ? nullptr : message;
}

/// Under the lock.
void hold(Channel &channel, StoredMessage *message) {
  channel.buffer.push_back(message);
  channel.held++;
}

/// Under the lock: there is a deal.
bool deal_begins(Channel &channel, const Deal &deal) {
  channel.deal = deal;
  channel.busy = true;
  for (int i = 0; Party *party : {deal.source, deal.sink}) {
    if (party)
      party->state = PartyState::dealing;
    if (party && party->kind == PartyKind::here) {
      channel.deal.kept[i] = party->alternative;
      alternative_keep(*party->alternative);
    }
    i++;
  }
  return true;
}

/// Whether the two are cases of one alternative, which does not meet itself.
bool are_one(const Party *one, const Party *other) {
  return one->kind == other->kind &&
         ((one->kind == PartyKind::here && one->alternative == other->alternative) ||
          (one->kind == PartyKind::there && one->node == other->node && one->number == other->number));
}

/// Under the lock: the first two that may meet. `source` and `sink` are the first ones of their queues, or null, and
/// `sink` becomes null if there are no two.
void pick(const Channel &channel, Party *&source, Party *&sink) {
  if (!source || !sink || !are_one(source, sink))
    return;
  Party *const first = sink;
  for (sink = channel.receivers.after(first); sink; sink = channel.receivers.after(sink))
    if (!are_one(source, sink))
      return;
  for (Party *other = channel.senders.after(source); other; other = channel.senders.after(other))
    if (!are_one(other, first)) {
      source = other;
      sink = first;
      return;
    }
}

/// Under the lock: the first of a queue is told `news`. True: it has to be asked, and there is a deal.
bool tell_first(Channel &channel, Party *party, int news, size_t bytes, List<Party> &ended) {
  party_leaves(channel, party);
  if (is_case(party))
    return deal_begins(channel, {news, bytes, nullptr, party});
  over(party, news, bytes, ended);
  return false;
}

/// Without the lock: what stands in the channel may meet. Returns whether there is a deal.
bool match_now(Channel &channel) {
  List<Party> ended;
  bool deal;
  {
    Guard guard(lock_of(channel));
    deal = channel_match(channel, ended);
  }
  parties_end(ended);
  return deal;
}

/// Without the lock, when the deal is over. What is null has been dealt with; the others stand in the channel again.
/// Returns whether there is another deal; only with `match`.
bool deal_ends(Channel &channel, Party *source, StoredMessage *message, Party *sink, bool match, List<Party> &ended) {
  uint64_t cancelled[2];
  for (Party *party : {source, sink})
    if (party && party->kind == PartyKind::thread)
      timer_cancel(party->thread->timer); // from here on it does not fire any more
  bool deal;
  {
    Guard guard(lock_of(channel));
    if (message) {
      channel.buffer.push_front(message);
      channel.held++;
    }
    for (int i = 0; Party *party : {source, sink})
      cancelled[i++] = party ? put_back(channel, party, ended) : 0;
    channel.busy = false;
    deal = match && channel_match(channel, ended);
  }
  parties_end(ended);
  for (const uint64_t id : cancelled)
    if (id)
      cancel_blocked(id);
  return deal;
}

/// A party is not needed any more, and is told nothing.
void forget(Party *party) {
  if (party && party->kind == PartyKind::there)
    party_free(party);
}

/// The deal is over. Its parties may be gone, and after this its alternatives, too.
void let_go(const Deal &deal) {
  for (Alternative *alternative : deal.kept)
    if (alternative)
      alternative_drop(*alternative);
}

Agreed claim(const Party *party) {
  return party && party->kind == PartyKind::here ? alternative_claim(*party->alternative) : Agreed::yes;
}

/// The deal comes to nothing, because a party of it said `why`. `claimed`: the other one had agreed. Returns whether
/// there is another deal.
bool deal_fails(Channel &channel, bool source_refuses, Agreed why, bool claimed) {
  const Deal deal = channel.deal;
  Party *refuses = source_refuses ? deal.source : deal.sink, *other = source_refuses ? deal.sink : deal.source;
  Alternative *again = claimed ? other->alternative : nullptr;
  // One that is asked again later stays where it stood; one of another node comes back by itself.
  Party *stays = why == Agreed::later && refuses->kind == PartyKind::here ? refuses : nullptr;
  if (!stays)
    forget(refuses);
  List<Party> ended;
  bool next =
      deal_ends(channel, source_refuses ? stays : other, deal.message, source_refuses ? other : stays, !stays, ended);
  if (stays && !alternative_will_look(*deal.kept[source_refuses ? 0 : 1]))
    next = match_now(channel);
  if (again)
    alternative_release(*again);
  let_go(deal);
  return next;
}

} // namespace

// --- messages --------------------------------------------------------------------------------------------------------

StoredMessage *message_stored(void *block, const void *data, size_t bytes) {
  auto *message = new (message_memory(sizeof(StoredMessage))) StoredMessage();
  message->block = block;
  message->data = data;
  message->bytes = bytes;
  return message;
}

StoredMessage *message_copied(const void *data, size_t bytes) {
  auto *memory = static_cast<std::byte *>(message_memory(sizeof(StoredMessage) + bytes));
  auto *message = new (memory) StoredMessage();
  message->block = nullptr;
  message->data = memory + sizeof(StoredMessage);
  message->bytes = bytes;
  if (bytes)
    memcpy(memory + sizeof(StoredMessage), data, bytes);
  return message;
}

void message_drop(StoredMessage *message) {
  free(message->block);
  free(message);
}

// --- records ---------------------------------------------------------------------------------------------------------

uint64_t channel_new(size_t capacity) {
  Channel *channel = take_record();
  if (!channel)
    return 0;
  Guard guard(lock_of(*channel));
  channel->capacity = capacity;
  channel->handle =
      static_cast<uint64_t>(node.self) << id_node_shift | channel->used << index_bits | (channel->number + 1);
  return channel->handle;
}

Channel *channel_record(uint64_t handle) {
  const uint64_t number = handle & ((UINT64_C(1) << index_bits) - 1);
  return number && home_of(handle) == node.self ? record(number - 1) : nullptr;
}

void channel_each(void (*function)(Channel &channel, int argument), int argument) {
  for (uint64_t i = 0, n = records.load(std::memory_order_acquire); i < n; i++)
    function(*record(i), argument);
}

// --- parties ---------------------------------------------------------------------------------------------------------

Party *party_elsewhere(PartyKind kind, int node, uint64_t number, bool sends, StoredMessage *message, size_t room) {
  auto *party = new (message_memory(sizeof(Party))) Party();
  party->kind = kind;
  party->node = node;
  party->number = number;
  party->sends = sends;
  party->message = message;
  party->bytes = message ? message->bytes : room;
  return party;
}

void party_free(Party *party) {
  if (party->message)
    message_drop(party->message);
  free(party);
}

void party_comes(Channel &channel, Party *party) {
  party->state = PartyState::standing;
  queue_of(channel, party).push_back(party);
}

void party_leaves(Channel &channel, Party *party) {
  queue_of(channel, party).remove(party);
  if (party->kind == PartyKind::call)
    deadline_remove(party);
  if (party->waits) {
    party->waits = false;
    channel.ring.take(party->thread);
  }
}

bool channel_match(Channel &channel, List<Party> &ended) {
  const int news = !channel.handle ? SKEIN_ETHREAD : channel.closed ? SKEIN_ECLOSED : SKEIN_OK;
  while (!channel.busy) {
    Party *sink = channel.receivers.first(), *source = channel.senders.first();
    StoredMessage *message = channel.buffer.first();
    if (news && source) {
      if (tell_first(channel, source, news, 0, ended))
        return true;
      continue;
    }
    if (sink && (news == SKEIN_ETHREAD || (news && !message))) {
      if (tell_first(channel, sink, news, 0, ended))
        return true;
      continue;
    }
    if (!message)
      pick(channel, source, sink);
    if (message && sink)
      source = nullptr;
    else if (source && (sink || channel.held < channel.capacity))
      message = nullptr;
    else
      break;
    const size_t bytes = source ? source->bytes : message->bytes;
    if (sink && bytes > sink->bytes) {
      if (tell_first(channel, sink, SKEIN_EMEMORY, bytes, ended))
        return true;
      continue;
    }
    if (source) {
      party_leaves(channel, source);
    } else {
      channel.buffer.remove(message);
      channel.held--;
    }
    if (sink)
      party_leaves(channel, sink);
    if (is_case(source) || is_case(sink) || bytes > large)
      return deal_begins(channel, {.source = source, .sink = sink, .message = message});
    if (StoredMessage *held = pass(source, message, sink, ended))
      hold(channel, held);
  }
  if (!channel.handle && !channel.busy) {
    while (StoredMessage *message = channel.buffer.pop_front())
      message_drop(message);
    channel.held = 0;
    if (channel.closed) // not given back before
      give_record_back(channel);
  }
  return false;
}

void channel_kick(Channel &channel) {
  if (match_now(channel))
    channel_settle(channel);
}

/// Settles one deal, which nobody else touches: the caller has made the channel busy, or has got the answer to an
/// attempt. Returns whether there is another deal; false, too, if an attempt has been sent.
static bool settle(Channel &channel) {
  const Deal deal = channel.deal;
  const bool there = deal.sink && deal.sink->kind == PartyKind::there;
  List<Party> ended;
  if (deal.news) {
    if (there) {
      attempt_send(channel, *deal.sink, deal.news, nullptr, deal.news_bytes);
      return false;
    }
    const Agreed agreed = claim(deal.sink);
    if (agreed == Agreed::yes)
      over(deal.sink, deal.news, deal.news_bytes, ended);
    const bool later = agreed == Agreed::later;
    bool next = deal_ends(channel, nullptr, nullptr, later ? deal.sink : nullptr, !later, ended);
    if (later && !alternative_will_look(*deal.kept[1]))
      next = match_now(channel);
    let_go(deal);
    return next;
  }
  const bool from_here = deal.source && deal.source->kind == PartyKind::here;
  const bool from_there = deal.source && deal.source->kind == PartyKind::there;
  if (!deal.source_agreed) { // otherwise those of this node have been asked before
    if (const Agreed agreed = claim(deal.source); agreed != Agreed::yes)
      return deal_fails(channel, true, agreed, false);
    if (const Agreed agreed = claim(deal.sink); agreed != Agreed::yes)
      return deal_fails(channel, false, agreed, from_here);
    if (from_there) {
      attempt_send(channel, *deal.source, SKEIN_OK, nullptr, 0);
      return false;
    }
  }
  if (there && from_there) { // the message is the channel's now
    StoredMessage *message = deal.source->message;
    deal.source->message = nullptr;
    forget(deal.source);
    return deal_ends(channel, nullptr, message, deal.sink, true, ended);
  }
  if (there) {
    attempt_send(channel, *deal.sink, SKEIN_OK, deal.source ? data_of(deal.source) : deal.message->data,
                 deal.source ? deal.source->bytes : deal.message->bytes);
    return false;
  }
  if (StoredMessage *held = pass(deal.source, deal.message, deal.sink, ended)) {
    Guard guard(lock_of(channel));
    hold(channel, held);
  }
  const bool next = deal_ends(channel, nullptr, nullptr, nullptr, true, ended);
  let_go(deal);
  return next;
}

void channel_settle(Channel &channel) {
  while (settle(channel))
    ;
}

/// The answer to the attempt that was sent for the deal. Returns whether there is a deal to be settled.
static bool answered(Channel &channel, Agreed agreed) {
  const Deal deal = channel.deal;
  const bool asked_source = deal.source && deal.source->kind == PartyKind::there && !deal.source_agreed;
  if (!deal.news && agreed != Agreed::yes) {
    const Party *other = asked_source ? deal.sink : deal.source;
    return deal_fails(channel, asked_source, agreed, other && other->kind == PartyKind::here);
  }
  if (!deal.news && asked_source) {
    channel.deal.source_agreed = true;
    return true;
  }
  // The sink has the message, or the news.
  List<Party> ended;
  if (!deal.news) {
    if (deal.source)
      over(deal.source, SKEIN_OK, 0, ended);
    if (deal.message)
      message_drop(deal.message);
  }
  forget(deal.sink);
  const bool next = deal_ends(channel, nullptr, nullptr, nullptr, true, ended);
  let_go(deal);
  return next;
}

void channel_answered(Channel &channel, Agreed agreed) {
  if (answered(channel, agreed))
    channel_settle(channel);
}

void parties_end(List<Party> &ended) {
  while (Party *party = ended.pop_front()) {
    const int code = party->code;
    const uint64_t result = static_cast<uint64_t>(code) | party->bytes << SKEIN_CHANNEL_CODE_BITS;
    switch (party->kind) {
    case PartyKind::thread: {
      Thread *thread = party->thread;
      if (code == SKEIN_EMEMORY)
        thread_error(thread, code, "%s: the message has %zu bytes", channel_call_name(party->sends), party->bytes);
      else if (code)
        thread_error(thread, code, "%s: %s", channel_call_name(party->sends), channel_text(code));
      else
        thread_error_clear(thread);
      wipe(party);
      wait_end(thread, result);
      break;
    }
    case PartyKind::call:
      call_end(party, result);
      break;
    case PartyKind::here:
      alternative_end(*party->alternative, party->index, code, party->bytes);
      break;
    case PartyKind::there:
      party_free(party);
      break;
    }
  }
}

bool channel_try(Channel &channel, uint64_t handle, Party *own) {
  List<Party> ended;
  bool deal = false;
  {
    Guard guard(lock_of(channel));
    if (channel.handle != handle) {
      own->code = SKEIN_ETHREAD;
      return true;
    }
    // It must not become part of a deal: nobody stands before it, and whom it meets need not be asked.
    const Party *other = own->sends ? channel.receivers.first() : channel.senders.first();
    const bool held = !own->sends && !channel.buffer.empty();
    const size_t bytes = own->sends ? own->bytes : held ? channel.buffer.first()->bytes : other ? other->bytes : 0;
    if (channel.busy || !queue_of(channel, own).empty() || (!held && is_case(other)) || bytes > large ||
        (own->sends && other && other->bytes < own->bytes))
      return false;
    party_comes(channel, own);
    deal = channel_match(channel, ended);
    SKEIN_ASSERT(own->state != PartyState::dealing, "a deal with what lies on a worker's stack");
    if (own->state == PartyState::standing) {
      party_leaves(channel, own);
    } else {
      List<Party>::remove(own); // from `ended`
    }
  }
  const bool done = own->state == PartyState::over;
  parties_end(ended);
  if (deal)
    channel_settle(channel);
  return done;
}

int channel_close(uint64_t handle, bool frees) {
  Channel *channel = channel_record(handle);
  if (!channel)
    return SKEIN_ETHREAD;
  List<Party> ended;
  bool deal;
  {
    Guard guard(lock_of(*channel));
    if (channel->handle != handle)
      return SKEIN_ETHREAD;
    channel->closed = true;
    if (frees)
      channel->handle = 0;
    deal = channel_match(*channel, ended);
  }
  parties_end(ended);
  if (deal)
    channel_settle(*channel);
  return SKEIN_OK;
}

void channels_after_fork() {
  new (&lock) SpinLock(Rank::leaf);
  channel_each(
      [](Channel &channel, int) {
        new (&channel.ring) Ring();
        new (&channel.senders) List<Party>();
        new (&channel.receivers) List<Party>();
        channel.busy = false;
        channel.deal = {};
      },
      0);
}

const char *channel_call_name(bool sends) { return sends ? send_kind.call : receive_kind.call; }

const char *channel_text(int code) {
  return code == SKEIN_ECLOSED   ? "the channel is closed"
         : code == SKEIN_ETIME   ? "the time is over"
         : code == SKEIN_EDEAD   ? "the node of the channel died"
         : code == SKEIN_EMEMORY ? "there is no room for the message"
                                 : "there is no such channel";
}

// --- what threads call -----------------------------------------------------------------------------------------------

static Thread *finish_at_once(Thread *self, bool sends, int code, size_t bytes) {
  if (code == SKEIN_EMEMORY)
    thread_error(self, code, "%s: the message has %zu bytes", channel_call_name(sends), bytes);
  else if (code)
    thread_error(self, code, "%s: %s", channel_call_name(sends), channel_text(code));
  else
    thread_error_clear(self);
  self->result = static_cast<uint64_t>(code) | bytes << SKEIN_CHANNEL_CODE_BITS;
  return self;
}

Thread *channel_wish_here(Thread *self, uint64_t handle, bool sends, skein_channel_wish *wish) {
  Channel *channel = channel_record(handle);
  if (!channel)
    return finish_at_once(self, sends, SKEIN_ETHREAD, 0);
  auto *own = new (wish->reserved) Party();
  own->kind = PartyKind::thread;
  own->thread = self;
  own->sends = sends;
  own->data = wish->data;
  own->bytes = wish->bytes;
  const bool waits = wish->left_ns != 0;
  if (wish->left_ns != forever)
    own->deadline_ns = deadline_in(wish->left_ns);
  List<Party> ended;
  bool deal = false, there = false;
  PartyState state = PartyState::over;
  {
    Guard guard(lock_of(*channel));
    there = channel->handle == handle;
    if (there) {
      party_comes(*channel, own);
      deal = channel_match(*channel, ended);
      state = own->state;
      if (state == PartyState::over) {
        List<Party>::remove(own); // from `ended`
      } else if (state == PartyState::standing && !waits) {
        party_leaves(*channel, own);
        own->code = SKEIN_ETIME;
        own->bytes = 0;
      } else {
        self->wait_detail = reinterpret_cast<uint64_t>(own);
        if (state == PartyState::standing) {
          own->waits = true;
          wait_begin(self, kind_of(own), channel, own->deadline_ns);
        } else { // of a deal: nobody else finds it
          thread_block(self, kind_of(own).call, nullptr);
        }
      }
    }
  }
  const bool blocked = there && (state == PartyState::dealing || (state == PartyState::standing && waits));
  if (!blocked) { // it is `self`'s own again
    const int code = there ? own->code : SKEIN_ETHREAD;
    const size_t bytes = there ? own->bytes : 0;
    wipe(own);
    finish_at_once(self, sends, code, sends ? 0 : bytes);
  }
  parties_end(ended);
  if (deal)
    channel_settle(*channel);
  return blocked ? wait_next() : self;
}

} // namespace skein
