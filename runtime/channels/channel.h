// Channels: what a channel is on the node where it lives, its *home*, and how those meet who send and receive.
// (The Testbed, sections 2.1.3 and 2.2.2.)
//
// Whoever sends or receives is a *party*. Four kinds of parties come to a channel:
//
//     thread   a thread of this node, which waits in the channel's ring (sync/waits.h)
//     call     a thread of another node, which waits for the answer to a call (net/messages/calls.h)
//     here     a case of an alternative in which a thread of this node waits (alternatives.h)
//     there    a case of an alternative in which a thread of another node waits
//
// A thread and a call that stand in a channel's queue are at the channel's disposal. An alternative is not: another of
// its cases may have happened. So it has to be asked, in two steps:
//
//     match    under the channel's lock takes a sender and a receiver out of their queues. If neither is a case of an
//              alternative, and the message is small, it passes at once. Otherwise the two are the channel's *deal*,
//              and it is busy: whoever comes meanwhile stands in the queue.
//     settle   without the lock asks the alternatives of the deal: one of this node by taking its thread out of where
//              it waits, one of another node by an `attempt` message that carries the message itself. If all agree, the
//              message has passed. Otherwise the one that refuses is forgotten, for it is over, and the other one
//              stands first in its queue again.
//
// Nothing is concluded from a case that has not been asked, not even that its message is too long: an alternative that
// is over may still stand in channels of other nodes for a while.
//
// So a message is in one place at any time: with the sender, in the channel's buffer, or in an attempt that is answered
// exactly once (or whose node has died with the thread that would have got it). That is why nothing is lost or doubled.
// Two alternatives of two other nodes cannot be asked at the same moment; the sender is asked first, and from then on
// the channel holds the message, even if its capacity is 0, until the other one or the next receiver has it. The same
// happens if the message of an alternative of another node turns out to be too long for the receiver.
//
// docs/models/deals.pml is a model of the deals of one node, all of whose states spin searches (test/models).
//
// Moves. A thread that waits in the ring and is to leave is taken out of it, and asks again where it arrives
// (WaitKind::moved). A thread that waits for a call leaves its call behind, and the answer follows it
// (net/moves/awaits.h), unless the node that it has left leaves the run: then the home is asked to let it ask again. A
// deadline is kept by the home, so only one place decides whether a wait is over.
//
// The home moves, too, to where all receive, or because the node leaves the run (homes.h): between deals, as one more
// step that is settled.
//
// Records of channels are never freed, only used again, and a handle is used once. So a lock may be taken before it is
// known whether the channel is still there.
#ifndef SKEIN_CHANNELS_CHANNEL_H
#define SKEIN_CHANNELS_CHANNEL_H

#include "abi/channel_calls.h"
#include "net/messages/calls.h"
#include "net/messages/lent_memory.h"
#include "sync/waits.h"
#include "trace/trace.h"

#include <skein/channel.h>

#include <cstring>

namespace skein {

struct Channel;
struct Alternative;

/// A message that lies at the home: in the buffer, or with a party of another node. One that is lent is still where its
/// sender has it (net/messages/lent_memory.h); its channel's deal brings it.
struct StoredMessage : Link {
  void *block;      // from malloc, which holds the bytes
  const void *data; // null: it is lent
  size_t bytes;
  BorrowedMemory lent;
};
/// The first one takes `block` over, in which the data lie.
StoredMessage *message_stored(void *block, const void *data, size_t bytes);
StoredMessage *message_copied(const void *data, size_t bytes);
StoredMessage *message_lent(const BorrowedMemory &lent, size_t bytes);
void message_drop(StoredMessage *message);
/// memcpy, which takes its time where there is much to copy.
inline void message_copy(void *to, const void *data, size_t bytes) {
  if (bytes > 1024)
    trace_time_passes();
  if (bytes)
    memcpy(to, data, bytes);
}

enum class PartyKind : uint8_t { thread, call, here, there };
enum class PartyState : uint8_t { standing, dealing, over };

struct Party : Link {
  PartyKind kind;
  PartyState state = PartyState::standing;
  bool sends;
  bool waits = false;  // thread: it is in the channel's ring
  bool renew = false;  // here: the node of its channel was told to come again later, and has forgotten it
  int code = SKEIN_OK; // with which it ends
  union {
    Thread *thread;           // thread
    Alternative *alternative; // here
    int node;                 // call, there
  };
  uint64_t number = 0;      // call: of the call; there: of the alternative at its node; here: the channel's handle
  uint32_t index = 0;       // here, there: of the case
  uint32_t deadline_at = 0; // call: where it stands among the deadlines; 0: nowhere (deadlines.h)
  void *data = nullptr;
  size_t bytes = 0;                 // to be sent, or the room; in the end, the length of the message that was received
  StoredMessage *message = nullptr; // call, there: what is sent; call: what was received
  uint64_t deadline_ns = forever;   // thread, call
  Channel *channel = nullptr;       // call: for its deadline
};

inline bool is_case(const Party *party) {
  return party && (party->kind == PartyKind::here || party->kind == PartyKind::there);
}

/// What is being settled.
struct Deal {
  int news =
      SKEIN_OK; // not OK: only `sink` takes part, a case `here`, and is told this (it may also be one that sends)
  size_t news_bytes = 0;                    // of a message that is too long for it
  Party *source = nullptr, *sink = nullptr; // none: the message; the buffer
  StoredMessage *message = nullptr;
  bool source_agreed = false; // `there`: it has been asked
  // No deal: the channel goes to live on that node (homes.h), where its record has the handle `forward`, and has all
  // messages of the buffer up to `moved`, and whether it is closed.
  int new_home = -1;
  uint64_t forward = 0;
  const StoredMessage *moved = nullptr;
  bool closed_there = false;
  Alternative *kept[2] = {}; // those of this node that take part; they stay in memory until the deal is over
};

/// By whom a channel is used (homes.h).
struct Usage {
  int reader = -1;       // the node that has received the latest messages; -1: none
  uint32_t streak = 0;   // so many of them, without anybody here
  uint32_t patience = 0; // so many make the channel go there; 0: it stays
  bool refused = false;  // it was to leave this node with all others, and could not
};

struct Channel {
  Ring ring;           // of the threads of this node that wait; the lock of everything here is its bucket's
  uint64_t handle = 0; // 0: it is free, or will be when nobody stands in it any more
  size_t capacity = 0, held = 0;
  List<StoredMessage> buffer;
  List<Party> senders, receivers;
  bool closed = false;
  bool busy = false; // there is a deal
  Deal deal;
  // Where it went: its handle there; 0: it is here. Where it was before it came here: its handle there, or 0.
  std::atomic<uint64_t> forward{0};
  uint64_t former = 0;
  Usage usage;
  uint64_t used = 0; // handles that this record has had
  uint64_t number = 0;
  Channel *next_free = nullptr;
};

/// In the place of a code: the party is to ask again. The length of the message is the channel's handle where it has
/// gone, or 0 if it is still here, or its handle here if a message cannot be lent, and has to be sent.
inline constexpr int code_again = static_cast<int>(SKEIN_CHANNEL_AGAIN);

inline int home_of(uint64_t channel) { return static_cast<int>(channel >> id_node_shift); }

/// A new channel of this node; 0 without memory. `former`: its handle where it comes from, or 0.
uint64_t channel_new(size_t capacity, uint64_t former, uint32_t patience);
uint64_t channel_new(size_t capacity);
/// Under the lock: nobody stands in it any more. Its record is for another channel.
void channel_forget(Channel &channel);
/// The record that the handle has or had; null if there never was one. Whether it still has it is known under the lock.
Channel *channel_record(uint64_t handle);
/// Record number `index`, whether it is in use or not; null: there are not so many.
Channel *channel_at(uint64_t index);
/// Calls function(channel) for each record.
void channel_each(void (*function)(Channel &channel, int argument), int argument);
inline SpinLock &lock_of(const Channel &channel) { return bucket_of(&channel); }
inline List<Party> &queue_of(Channel &channel, const Party *party) {
  return party->sends ? channel.senders : channel.receivers;
}

/// Under the lock: a party comes; one that stands in the channel leaves it.
void party_comes(Channel &channel, Party *party);
void party_leaves(Channel &channel, Party *party);
/// Under the lock: a party of a deal that has come to nothing stands first in its queue again, unless it is over.
/// Returns the id of a thread that was cancelled meanwhile, or 0.
uint64_t party_put_back(Channel &channel, Party *party, List<Party> &ended);
/// It is over for a party that stands nowhere and belongs to the caller.
void party_over(Party *party, int code, size_t bytes, List<Party> &ended);
/// Without the lock: tells them.
void parties_end(List<Party> &ended);
/// Under the lock: all that stand in the channel and are `wanted` leave it, for `gone`.
template <class Wanted> void parties_leave(Channel &channel, List<Party> &gone, Wanted &&wanted) {
  for (List<Party> *queue : {&channel.senders, &channel.receivers})
    for (Party *party = queue->first(), *next; party; party = next) {
      next = queue->after(party);
      if (!wanted(*party))
        continue;
      party_leaves(channel, party);
      gone.push_back(party);
    }
}

/// Under the lock: lets meet who can, and puts those for whom it is over into `ended`. Returns whether there is a deal,
/// which the caller settles without the lock, after parties_end.
bool channel_match(Channel &channel, List<Party> &ended);
void channel_settle(Channel &channel);
/// Under the lock: whether `own`, if it came now, would get what it wants at once or stand, and be part of no deal.
bool channel_passes_at_once(Channel &channel, const Party *own);
/// Changes a channel under its lock, and does what follows from that. `change` gets the list of those for whom it is
/// over, and returns what channel_match does, or false.
template <class Change> void channel_change(Channel &channel, Change &&change) {
  List<Party> ended;
  bool deal;
  {
    Guard guard(lock_of(channel));
    deal = change(ended);
  }
  parties_end(ended);
  if (deal)
    channel_settle(channel);
}
/// Without the lock: something has changed for who stands in the channel.
inline void channel_kick(Channel &channel) {
  channel_change(channel, [&](List<Party> &ended) { return channel_match(channel, ended); });
}
/// An attempt that was sent for the channel's deal has been answered. `later`: the other side is busy with another
/// deal, and will ask again.
enum class Agreed : uint8_t { no, yes, later };
void channel_answered(Channel &channel, Agreed agreed);

/// A new party for a thread of another node, which gives its message away.
Party *party_elsewhere(PartyKind kind, int node, uint64_t number, bool sends, StoredMessage *message, size_t room);
void party_free(Party *party);

/// Closes a channel of this node, or frees it. SKEIN_ETHREAD: it is not there; SKEIN_CHANNEL_AGAIN: it has moved, and
/// `forward` is its handle there.
int channel_close(uint64_t handle, bool frees, uint64_t &forward);
/// A thread sends or receives if that is possible at once. False: not now.
bool channel_try(Channel &channel, uint64_t handle, Party *own);
/// For a stub: a thread sends to a channel of this node, or receives. Returns the thread to resume.
Thread *channel_wish_here(Thread *self, uint64_t handle, bool sends, skein_channel_wish *wish);

/// "there is no such channel", for a code.
const char *channel_text(int code);
/// The same for the end of a send or receive, with the length of a message that is too long.
struct ChannelWords {
  char text[80];
};
ChannelWords channel_words(int code, size_t bytes);

/// In the child of a fork: nobody who stood in a channel is there. What channels hold stays.
void channels_after_fork();
void records_after_fork();

void channels_start();

} // namespace skein

#endif
