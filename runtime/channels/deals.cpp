// Deals: how those meet who stand in a channel; see channel.h.
#include "channels/alternatives.h"
#include "channels/channel.h"
#include "channels/homes.h"
#include "channels/remote.h"
#include "sched/timers.h"
#include "sync/ending.h"

#include <cstring>

namespace skein {

namespace {

/// Messages of more bytes are copied without the lock, as part of a deal.
constexpr size_t large = 4096;

bool is_here(const Party *party) { return party && party->kind == PartyKind::here; }
bool is_there(const Party *party) { return party && party->kind == PartyKind::there; }

/// Whether what a party sends is still where another node lends it: it is brought as part of a deal.
bool is_lent(const Party *source) { return source && source->message && source->bytes && !source->message->data; }

/// Where the bytes of what a party sends are.
const void *data_of(const Party *party) { return party->message ? party->message->data : party->data; }

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
    if (data != sink->data) // brought there already
      message_copy(sink->data, data, bytes);
    if (message)
      message_drop(message);
  }
  if (source)
    party_over(source, SKEIN_OK, 0, ended);
  if (sink)
    party_over(sink, SKEIN_OK, bytes, ended);
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
    if (is_here(party)) {
      channel.deal.kept[i] = party->alternative;
      alternative_keep(*party->alternative);
    }
    i++;
  }
  return true;
}

/// Whether the two are cases of one alternative, which does not meet itself.
bool are_one(const Party *one, const Party *other) {
  return (is_here(one) && is_here(other) && one->alternative == other->alternative) ||
         (is_there(one) && is_there(other) && one->node == other->node && one->number == other->number);
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

/// Under the lock: a party that stands in the channel is told `news`. True: its alternative has to be asked first, and
/// there is a deal.
bool tell(Channel &channel, Party *party, int news, size_t bytes, List<Party> &ended) {
  party_leaves(channel, party);
  if (is_here(party))
    return deal_begins(channel, {news, bytes, nullptr, party});
  party_over(party, news, bytes, ended);
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
      cancelled[i++] = party ? party_put_back(channel, party, ended) : 0;
    channel.busy = false;
    deal = match && channel_match(channel, ended);
  }
  parties_end(ended);
  for (const uint64_t id : cancelled)
    if (id)
      cancel_blocked(id);
  return deal;
}

/// The deal is over. Its parties may be gone, and after this its alternatives, too.
void let_go(const Deal &deal) {
  for (Alternative *alternative : deal.kept)
    if (alternative)
      alternative_drop(*alternative);
}

Agreed claim(const Party *party) { return is_here(party) ? alternative_claim(*party->alternative) : Agreed::yes; }

/// The message has passed.
bool deal_succeeds(Channel &channel, const Deal &deal, List<Party> &ended) {
  const bool next = deal_ends(channel, nullptr, nullptr, nullptr, true, ended);
  let_go(deal);
  return next;
}

/// The deal comes to nothing, because a party of it said `why`. `other`: the other one, which has agreed if `claimed`.
/// Returns whether there is another deal.
bool deal_fails(Channel &channel, Party *refuses, Agreed why, bool claimed) {
  const Deal deal = channel.deal;
  const bool is_source = refuses == deal.source;
  Party *other = is_source ? deal.sink : deal.source;
  Alternative *again = claimed ? other->alternative : nullptr;
  // One that is asked again later stays where it stood; one of another node comes back by itself.
  Party *stays = why == Agreed::later && is_here(refuses) ? refuses : nullptr;
  if (is_there(refuses))
    party_free(refuses);
  List<Party> ended;
  bool next = deal_ends(channel, is_source ? stays : other, deal.message, is_source ? other : stays, !stays, ended);
  if (stays && !alternative_will_look(*deal.kept[is_source ? 0 : 1]))
    next = match_now(channel);
  if (again)
    alternative_release(*again);
  let_go(deal);
  return next;
}

/// A source of another node, which has agreed, is over: the message is the channel's.
StoredMessage *take_over(Party *source) {
  StoredMessage *message = source->message;
  source->message = nullptr;
  party_free(source);
  return message;
}

/// Both have agreed, but the message is too long for the sink, which is told that. The message stays with the source, a
/// case, or with the channel if the source is of another node. Returns whether there is another deal.
bool deal_is_too_long(Channel &channel, const Deal &deal, List<Party> &ended) {
  party_over(deal.sink, SKEIN_EMEMORY, deal.source->bytes, ended);
  bool next;
  if (is_there(deal.source)) {
    next = deal_ends(channel, nullptr, take_over(deal.source), nullptr, true, ended);
  } else {
    Alternative *again = deal.source->alternative;
    next = deal_ends(channel, deal.source, nullptr, nullptr, true, ended);
    alternative_release(*again);
  }
  let_go(deal);
  return next;
}

/// Without the lock: brings a message that is lent, to where the sink wants it if that is memory of this node, and the
/// deal cannot fail any more. False: it cannot be had.
bool bring(StoredMessage &message, const Party *sink) {
  const bool straight = sink && (sink->kind == PartyKind::thread || sink->kind == PartyKind::here);
  void *to = straight ? sink->data : message_memory(message.bytes);
  trace_time_passes();
  if (!straight)
    message.block = to;
  if (!borrowed_read(message.lent, to, message.bytes))
    return false;
  message.data = to;
  return true;
}

/// The message of the deal's source, a call, cannot be had, and is to be sent. Returns whether there is another deal.
bool deal_lacks_message(Channel &channel) {
  const Deal deal = channel.deal;
  List<Party> ended;
  party_over(deal.source, code_again, __atomic_load_n(&channel.handle, __ATOMIC_RELAXED), ended);
  const bool next = deal_fails(channel, deal.source, Agreed::no, is_here(deal.sink));
  parties_end(ended);
  return next;
}

/// Settles one deal, which nobody else touches: the caller has made the channel busy, or has got the answer to an
/// attempt. Returns whether there is another deal; false, too, if an attempt has been sent.
bool settle(Channel &channel) {
  const Deal deal = channel.deal;
  List<Party> ended;
  if (deal.new_home >= 0) {
    home_moves(channel);
    return false;
  }
  if (deal.news) {
    if (const Agreed agreed = claim(deal.sink); agreed != Agreed::yes)
      return deal_fails(channel, deal.sink, agreed, false);
    party_over(deal.sink, deal.news, deal.news_bytes, ended);
    return deal_succeeds(channel, deal, ended);
  }
  if (!deal.source_agreed) { // otherwise those of this node have been asked before
    if (const Agreed agreed = claim(deal.source); agreed != Agreed::yes)
      return deal_fails(channel, deal.source, agreed, false);
    if (const Agreed agreed = claim(deal.sink); agreed != Agreed::yes)
      return deal_fails(channel, deal.sink, agreed, is_here(deal.source));
    if (is_there(deal.source)) {
      attempt_send(channel, *deal.source, deal.kept[1], nullptr, 0);
      return false;
    }
  }
  if (deal.source && deal.sink && deal.source->bytes > deal.sink->bytes)
    return deal_is_too_long(channel, deal, ended);
  if (is_lent(deal.source) && !bring(*deal.source->message, deal.sink))
    return deal_lacks_message(channel);
  if (is_there(deal.sink) && is_there(deal.source))
    return deal_ends(channel, nullptr, take_over(deal.source), deal.sink, true, ended);
  if (is_there(deal.sink)) {
    attempt_send(channel, *deal.sink, deal.kept[0], deal.source ? data_of(deal.source) : deal.message->data,
                 deal.source ? deal.source->bytes : deal.message->bytes);
    return false;
  }
  if (StoredMessage *held = pass(deal.source, deal.message, deal.sink, ended)) {
    Guard guard(lock_of(channel));
    hold(channel, held);
  }
  return deal_succeeds(channel, deal, ended);
}

/// The answer to the attempt that was sent for the deal. Returns whether there is a deal to be settled.
bool answered(Channel &channel, Agreed agreed) {
  const Deal deal = channel.deal;
  const bool asked_source = is_there(deal.source) && !deal.source_agreed;
  Party *asked = asked_source ? deal.source : deal.sink;
  if (agreed != Agreed::yes)
    return deal_fails(channel, asked, agreed, is_here(asked_source ? deal.sink : deal.source));
  if (asked_source) {
    channel.deal.source_agreed = true;
    return true;
  }
  List<Party> ended; // the sink has the message
  if (deal.source)
    party_over(deal.source, SKEIN_OK, 0, ended);
  if (deal.message)
    message_drop(deal.message);
  party_free(deal.sink);
  return deal_succeeds(channel, deal, ended);
}

} // namespace

bool channel_match(Channel &channel, List<Party> &ended) {
  const int news = !channel.handle ? SKEIN_ETHREAD : channel.closed ? SKEIN_ECLOSED : SKEIN_OK;
  while (!channel.busy) {
    Party *sink = channel.receivers.first(), *source = channel.senders.first();
    StoredMessage *message = channel.buffer.first();
    if (news && (source || (sink && (news == SKEIN_ETHREAD || !message)))) {
      if (tell(channel, source ? source : sink, news, 0, ended))
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
    if (sink && bytes > sink->bytes && !is_case(source)) { // a case may be over already, and has to be asked first
      if (tell(channel, sink, SKEIN_EMEMORY, bytes, ended))
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
    usage_note(channel, source, sink);
    if (is_case(source) || is_case(sink) || bytes > large || is_lent(source))
      return deal_begins(channel, {.source = source, .sink = sink, .message = message});
    if (StoredMessage *held = pass(source, message, sink, ended))
      hold(channel, held);
  }
  if (const int home = channel.busy ? -1 : home_wanted(channel); home >= 0)
    return deal_begins(channel, {.new_home = home});
  if (!channel.handle && !channel.busy) {
    while (StoredMessage *message = channel.buffer.pop_front())
      message_drop(message);
    channel.held = 0;
    if (channel.closed) // not given back before
      channel_forget(channel);
  }
  return false;
}

bool channel_passes_at_once(Channel &channel, const Party *own) {
  const Party *other = own->sends ? channel.receivers.first() : channel.senders.first();
  const StoredMessage *held = own->sends ? nullptr : channel.buffer.first();
  const size_t bytes = own->sends ? own->bytes : held ? held->bytes : other ? other->bytes : 0;
  return !channel.busy && queue_of(channel, own).empty() && (held || (!is_case(other) && !is_lent(other))) &&
         !is_lent(own) && bytes <= large && !(own->sends && other && other->bytes < own->bytes);
}

void channel_settle(Channel &channel) {
  while (settle(channel))
    ;
}

void channel_answered(Channel &channel, Agreed agreed) {
  if (answered(channel, agreed))
    channel_settle(channel);
}

} // namespace skein
