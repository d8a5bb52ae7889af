// Messages of channels, and the calls of threads; see remote.h.
#include "channels/remote.h"
#include "base/node.h"
#include "channels/alternatives.h"
#include "channels/deadlines.h"
#include "channels/homes.h"
#include "net/moves/awaits.h"
#include "net/run/membership.h"
#include "sched/sched.h"
#include "sync/waits.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

/// For messages and error texts.
const char *name_of(uint64_t operation) {
  static constexpr const char *names[] = {"skein_channel_send", "skein_channel_receive", "skein_channel_close",
                                          "skein_channel_free", "skein_channel_create_on"};
  return names[operation];
}

// --- at the home -----------------------------------------------------------------------------------------------------

void answer_code(int to, uint64_t call, int code) {
  const char *text = channel_text(code);
  call_reply(to, call, static_cast<uint64_t>(code), text, code ? strlen(text) : 0);
}

/// A node that is about to leave the run makes no channels: the sender asks its heir then, or keeps the channel.
void on_create(int from, const ChannelMessage &ask) {
  if (!link_takes(node.self))
    return call_reply(from, ask.call, SKEIN_CHANNEL_AGAIN);
  const uint64_t handle =
      ask.channel ? channel_new(ask.bytes, ask.channel, static_cast<uint32_t>(ask.left_ns)) : channel_new(ask.bytes);
  if (handle)
    return call_reply(from, ask.call, SKEIN_OK, &handle, sizeof handle);
  constexpr char text[] = "no memory for another channel";
  call_reply(from, ask.call, SKEIN_EMEMORY, text, sizeof text - 1);
}

/// A party comes from another node.
void comes(uint64_t handle, Party *party, uint64_t left_ns) {
  Channel *channel = channel_record(handle);
  party->channel = channel;
  party->deadline_ns = deadline_in(left_ns);
  if (!channel) {
    List<Party> ended;
    const uint64_t forward = home_inherited(handle);
    party_over(party, forward ? code_again : SKEIN_ETHREAD, forward, ended);
    return parties_end(ended);
  }
  channel_change(*channel, [&](List<Party> &ended) {
    if (channel->handle != handle) {
      party_over(party, SKEIN_ETHREAD, 0, ended);
      return false;
    }
    if (const uint64_t forward = channel->forward.load(std::memory_order_relaxed)) {
      party_over(party, code_again, forward, ended);
      return false;
    }
    party_comes(*channel, party);
    const bool deal = channel_match(*channel, ended);
    if (party->state == PartyState::standing && left_ns == 0) {
      party_leaves(*channel, party);
      party_over(party, SKEIN_ETIME, 0, ended);
    } else if (party->state == PartyState::standing && party->kind == PartyKind::call) {
      deadline_add(party);
    }
    return deal;
  });
}

/// A call of node `from`, which is about to leave the run, does not wait here any more. Its thread is elsewhere
/// already, and is to ask from there. If it stands in no queue, it has been answered, or is part of a deal, or has not
/// come yet; then it is recalled again in a moment.
void recall(int from, uint64_t handle, uint64_t call) {
  Channel *channel = channel_record(handle);
  if (!channel)
    return;
  const auto is_meant = [&](const Party &party) {
    return party.kind == PartyKind::call && party.node == from && party.number == call;
  };
  channel_change(*channel, [&](List<Party> &ended) {
    List<Party> gone;
    parties_leave(*channel, gone, is_meant);
    while (Party *party = gone.pop_front())
      party_over(party, code_again, 0, ended);
    return false;
  });
}

/// What follows a message becomes a message that is stored, without a copy.
template <class T> StoredMessage *keep_data(Arrival &arrival) {
  StoredMessage *message = message_stored(arrival.message, arrival.data<T>(), arrival.data_bytes<T>());
  arrival.message = nullptr;
  return message;
}

void on_channel(Arrival &arrival) {
  const ChannelMessage ask = arrival.body<ChannelMessage>();
  if (ask.operation == SKEIN_CHANNEL_CREATE)
    return on_create(arrival.from, ask);
  if (ask.operation == SKEIN_CHANNEL_RECALL)
    return recall(arrival.from, ask.channel, ask.call);
  if (ask.operation == SKEIN_CHANNEL_FILL)
    return answer_code(arrival.from, ask.call,
                       home_filled(arrival.from, ask.channel, arrival.data<ChannelMessage>(),
                                   arrival.data_bytes<ChannelMessage>(), ask.left_ns != 0));
  if (ask.operation == SKEIN_CHANNEL_CLOSE || ask.operation == SKEIN_CHANNEL_FREE) {
    uint64_t forward = home_inherited(ask.channel);
    const int code = forward ? code_again : channel_close(ask.channel, ask.operation == SKEIN_CHANNEL_FREE, forward);
    return code == code_again ? answer_again(arrival.from, ask.call, forward, forever)
                              : answer_code(arrival.from, ask.call, code);
  }
  StoredMessage *message = nullptr;
  if (ask.operation == SKEIN_CHANNEL_LEND) {
    LentPlace place;
    memcpy(&place, arrival.data<ChannelMessage>(), sizeof place);
    const BorrowedMemory lent = memory_borrow(arrival.from, place);
    if (!borrowed_is_there(lent, ask.bytes))
      return answer_again(arrival.from, ask.call, ask.channel, ask.left_ns);
    message = message_lent(lent, ask.bytes);
  } else if (ask.operation == SKEIN_CHANNEL_SEND) {
    message = keep_data<ChannelMessage>(arrival);
  }
  Party *party = party_elsewhere(PartyKind::call, arrival.from, ask.call, message != nullptr, message, ask.bytes);
  comes(ask.channel, party, ask.left_ns);
}

/// The alternatives of other nodes that were withdrawn last. Used by handlers only, of which one runs at a time.
///
/// A withdrawal may overtake an offer of its alternative. That would stand in its channel until somebody meets it there
/// and hears from its node that it is over, during which the channel can do nothing else. Where many alternatives wait
/// for a short time, more came in this way than could be asked.
class Withdrawn {
public:
  void add(int node, uint64_t alternative) { all_[place(node, alternative)] = {node, alternative}; }
  bool has(int node, uint64_t alternative) const {
    const One &there = all_[place(node, alternative)];
    return there.node == node && there.alternative == alternative;
  }

private:
  static constexpr uint64_t most = 4096; // far more than end while a message is under way
  struct One {
    int node;
    uint64_t alternative; // 0: none
  };
  /// The numbers of a node count upwards, so each replaces an old one.
  static uint64_t place(int node, uint64_t alternative) {
    return (alternative + static_cast<uint64_t>(node) * 1021) % most;
  }
  One all_[most];
};
Withdrawn withdrawn;

void on_offer(Arrival &arrival) {
  const OfferMessage offer = arrival.body<OfferMessage>();
  if (withdrawn.has(arrival.from, offer.alternative))
    return;
  StoredMessage *message = offer.sends ? keep_data<OfferMessage>(arrival) : nullptr;
  Party *party =
      party_elsewhere(PartyKind::there, arrival.from, offer.alternative, offer.sends != 0, message, offer.bytes);
  party->index = offer.index;
  comes(offer.channel, party, forever);
}

/// Takes parties of other nodes out of a channel, to whom nothing needs to be told.
template <class Wanted> void take_out(Channel &channel, Wanted &&wanted) {
  List<Party> gone;
  {
    Guard guard(lock_of(channel));
    parties_leave(channel, gone, wanted);
  }
  while (Party *party = gone.pop_front())
    party_free(party);
}

void on_withdraw(Arrival &arrival) {
  const auto &withdraw = arrival.body<WithdrawMessage>();
  if (!withdraw.alternative)
    return home_freed(arrival.from, withdraw.channel);
  withdrawn.add(arrival.from, withdraw.alternative); // also if an offer is found: another one may be under way
  Channel *channel = channel_record(withdraw.channel);
  if (!channel)
    return;
  take_out(*channel, [&](const Party &party) {
    return party.kind == PartyKind::there && party.node == arrival.from && party.number == withdraw.alternative;
  });
}

void finish_attempt(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto &channel = *static_cast<Channel *>(call.place);
  if (reply && (reply->value > static_cast<uint64_t>(Agreed::later) || data_bytes))
    reply = call_distrust(call, "0x%llx is no answer to an attempt", static_cast<unsigned long long>(reply->value));
  channel_answered(channel, reply ? static_cast<Agreed>(reply->value) : Agreed::no);
}

/// Takes out who waits in the channel from a node that has died.
void without(Channel &channel, int peer) {
  take_out(channel, [&](const Party &party) {
    return (party.kind == PartyKind::there || party.kind == PartyKind::call) && party.node == peer;
  });
}

void on_node_died(int peer) {
  channel_each(without, peer);
  alternatives_without_dead();
}

// --- at the node of an alternative -----------------------------------------------------------------------------------

void on_attempt(Arrival &arrival) {
  const auto &message = arrival.body<AttemptMessage>();
  const Attempt attempt = {arrival.from,
                           message.call,
                           message.alternative,
                           message.asking,
                           message.index,
                           static_cast<int>(message.code),
                           arrival.data<AttemptMessage>(),
                           message.code ? message.bytes : arrival.data_bytes<AttemptMessage>()};
  if (!alternative_attempted(attempt, arrival))
    link_reject(arrival.from, MessageType::attempt, "the alternative has no such case there");
}

// --- at the node of a thread -----------------------------------------------------------------------------------------

/// The answer says where the channel is now, or that it is where it was, or that a message that was lent there is to be
/// sent. False: it says none of these.
bool learn_forward(const Call &call, uint64_t handle, const ReplyMessage *reply, size_t data_bytes) {
  uint64_t forward = 0;
  if (!data_bytes)
    return true;
  if (data_bytes == sizeof forward)
    memcpy(&forward, reply_data(reply), sizeof forward);
  if (forward == handle && call.lent)
    return memory_not_lent_to(keeper_of(call.peer)), true;
  if (!forward || home_of(forward) >= node.count || forward == handle)
    return false;
  channel_alias(handle, forward);
  return true;
}

void finish_wish(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  Thread *thread = call.waiter;
  memory_back(call.lent);
  const char *name = name_of(call.id);
  reply = call_checked(call, reply, data_bytes, any_bytes);
  const uint64_t code = reply ? reply->value & SKEIN_CHANNEL_CODE : SKEIN_EDEAD;
  const uint64_t length = reply ? reply->value >> SKEIN_CHANNEL_CODE_BITS : 0;
  if (reply && !code && (data_bytes != length || length > call.place_bytes))
    reply = call_distrust(call, "%zu bytes, said to be %llu, where %zu fit", data_bytes,
                          static_cast<unsigned long long>(length), call.place_bytes);
  if (!reply)
    return wake_with_error(thread, SKEIN_EDEAD, "%s: node %d, where the channel lives, died", name,
                           keeper_of(call.peer));
  if (code == SKEIN_CHANNEL_AGAIN) {
    if (!learn_forward(call, reinterpret_cast<uint64_t>(thread->wait.object), reply, data_bytes))
      call_distrust(call, "it does not say where the channel went");
    return thread_wake(thread, reply->value); // of a node that is not trusted any more: it is dead then
  }
  if (code)
    thread_error(thread, static_cast<int>(code), "%s: %.*s", name, static_cast<int>(data_bytes), reply_data(reply));
  else if (length)
    memcpy(call.place, reply_data(reply), length);
  thread_wake(thread, reply->value);
}

Thread *fail(Thread *self, uint64_t operation, int code, const char *text) {
  self->result = static_cast<uint64_t>(thread_error(self, code, "%s: %s", name_of(operation), text));
  return self;
}

Thread *ask_home(Thread *self, uint64_t handle, uint64_t operation, const skein_channel_wish *wish) {
  const int home = home_of(handle);
  if (!handle || home >= node.count)
    return fail(self, operation, SKEIN_ETHREAD, channel_text(SKEIN_ETHREAD));
  if (!link_keeps(home))
    return fail(self, operation, SKEIN_EDEAD, channel_text(SKEIN_EDEAD));
  const int keeper = keeper_of(home);
  const bool receives = operation == SKEIN_CHANNEL_RECEIVE, sends = operation == SKEIN_CHANNEL_SEND;
  const bool lends = sends && memory_is_lent_to(keeper, wish->bytes);
  const size_t sent = lends ? sizeof(LentPlace) : sends ? wish->bytes : 0;
  void *place = receives ? wish->data : nullptr;
  const bool movable = await_may_leave(*self, place);
  auto *message = message_new<ChannelMessage>(sent);
  message->channel = handle;
  message->operation = lends ? uint64_t{SKEIN_CHANNEL_LEND} : operation;
  message->bytes = wish->bytes;
  message->left_ns = wish->left_ns;
  LentMemory *lent = nullptr;
  if (lends)
    lent = memory_lend(keeper, wish->data, wish->bytes, *reinterpret_cast<LentPlace *>(message + 1));
  else if (sent)
    memcpy(message + 1, wish->data, sent);
  self->talking.last.store(static_cast<uint16_t>(keeper == node.self ? 0 : keeper + 1), std::memory_order_relaxed);
  if (sends)
    count(statistics.channels_sent[keeper]);
  thread_block(self, name_of(operation), reinterpret_cast<void *>(handle));
  Call wait = kept({finish_wish, home, self, operation, place, receives ? wish->bytes : 0});
  wait.measured = true;
  wait.lent = lent;
  const uint64_t call = message->call = call_begin(wait);
  link_send(home, message, sent);
  if (movable)
    call_sent_movable(call);
  else
    call_sent(call);
  return thread_next();
}

extern "C" Thread *skein_channel_call(Thread *self, uint64_t handle, uint64_t operation, uint64_t wish_word) {
  auto *wish = reinterpret_cast<skein_channel_wish *>(wish_word);
  handle = channel_resolve(handle);
  if (operation == SKEIN_CHANNEL_SEND && wish->bytes > SKEIN_MESSAGE_MOST)
    return fail(self, operation, SKEIN_EMEMORY, "a message has at most SKEIN_MESSAGE_MOST bytes");
  if (home_of(handle) != node.self)
    return ask_home(self, handle, operation, wish);
  if (operation == SKEIN_CHANNEL_SEND || operation == SKEIN_CHANNEL_RECEIVE)
    return channel_wish_here(self, handle, operation == SKEIN_CHANNEL_SEND, wish);
  uint64_t forward;
  const int code = channel_close(handle, operation == SKEIN_CHANNEL_FREE, forward);
  if (code == code_again)
    return answer(self, code);
  return code ? fail(self, operation, code, channel_text(code)) : succeed(self);
}

void finish_create(const Call &call, const ReplyMessage *reply, size_t data_bytes);

/// For a thread that is blocked.
void ask_for_new(Thread *thread, int home, uint64_t capacity) {
  Call wait = kept({finish_create, home, thread, capacity, nullptr, 0});
  wait.measured = true;
  const uint64_t call = call_begin(wait);
  link_tell<ChannelMessage>(home, call, uint64_t{0}, uint64_t{SKEIN_CHANNEL_CREATE}, capacity, uint64_t{0});
  call_sent(call);
}

/// Makes a channel here. Returns its handle, or 0 with an error text.
uint64_t make_here(Thread *thread, uint64_t capacity) {
  const uint64_t handle = channel_new(capacity);
  if (!handle)
    thread_error(thread, SKEIN_EMEMORY, "skein_channel_create: no memory for another channel");
  return handle;
}

void finish_create(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  uint64_t handle = 0;
  reply = call_checked(call, reply, data_bytes, sizeof handle);
  if (reply && reply->value == SKEIN_CHANNEL_AGAIN) { // that node is about to leave
    if (home_heir != node.self)
      return ask_for_new(call.waiter, home_heir, call.id);
    handle = make_here(call.waiter, call.id);
  } else if (!reply)
    thread_error(call.waiter, SKEIN_EDEAD, "%s: node %d died", name_of(SKEIN_CHANNEL_CREATE), call.peer);
  else if (reply->value)
    thread_error(call.waiter, static_cast<int>(reply->value), "%s: %.*s", name_of(SKEIN_CHANNEL_CREATE),
                 static_cast<int>(data_bytes), reply_data(reply));
  else
    memcpy(&handle, reply_data(reply), sizeof handle);
  thread_wake(call.waiter, handle);
}

extern "C" Thread *skein_channel_new_call(Thread *self, uint64_t node_word, uint64_t capacity) {
  int home = static_cast<int>(node_word);
  thread_error_clear(self);
  self->result = 0;
  if (home == -1)
    home = node.self;
  if (thread_check_node(self, home, name_of(SKEIN_CHANNEL_CREATE)))
    return self;
  if (link_keeps(home) && !link_takes(home))
    home = home_heir; // all of that node's channels go there
  if (home == node.self) {
    self->result = make_here(self, capacity);
    return self;
  }
  thread_block(self, name_of(SKEIN_CHANNEL_CREATE), nullptr);
  ask_for_new(self, home, capacity);
  return thread_next();
}

} // namespace

void answer_again(int to, uint64_t call, uint64_t forward, uint64_t left_ns) {
  constexpr uint64_t most = UINT64_MAX >> SKEIN_CHANNEL_CODE_BITS;
  const uint64_t left = left_ns == forever ? 0 : std::clamp<uint64_t>(left_ns, 1, most);
  call_reply(to, call, SKEIN_CHANNEL_AGAIN | left << SKEIN_CHANNEL_CODE_BITS, &forward, forward ? sizeof forward : 0);
}

void call_end(Party *party, uint64_t result) {
  if (party->code == code_again) {
    answer_again(party->node, party->number, party->bytes,
                 party->deadline_ns == forever ? forever : time_left(party->deadline_ns));
  } else if (party->code) {
    const ChannelWords words = channel_words(party->code, party->bytes);
    call_reply(party->node, party->number, result, words.text, strlen(words.text));
  } else if (party->sends) {
    call_reply(party->node, party->number, SKEIN_OK);
  } else {
    call_reply(party->node, party->number, result, party->message->data, party->message->bytes);
  }
  party_free(party);
}

/// Begins a call for it, which the alternative's node answers.
static void attempt_case(const Party &party, uint64_t asking, int code, const void *data, size_t bytes, Call asks) {
  asks.peer = party.node;
  const size_t follows = data ? bytes : 0;
  auto *message = message_new<AttemptMessage>(follows);
  message->alternative = party.number;
  message->asking = asking;
  message->bytes = bytes;
  message->index = party.index;
  message->code = static_cast<uint32_t>(code);
  if (follows)
    memcpy(message + 1, data, follows);
  const uint64_t call = message->call = call_begin(asks);
  if (asks.peer == node.self) { // an alternative of this node has asked this node as the heir of another
    Arrival arrival{node.self, message, sizeof *message + follows};
    on_attempt(arrival);
    return free(arrival.message);
  }
  link_send(asks.peer, message, follows);
  call_sent(call);
}

void offer_end(Party *party) {
  const auto ignore = [](const Call &, const ReplyMessage *, size_t) {}; // nothing depends on the answer
  if (party->code)
    attempt_case(*party, 0, party->code, nullptr, party->bytes, {ignore, 0, nullptr, 0, nullptr, 0});
  party_free(party);
}

void attempt_send(Channel &channel, const Party &party, const Alternative *held, const void *data, size_t bytes) {
  attempt_case(party, held ? alternative_number(*held) : 0, SKEIN_OK, data, bytes,
               {finish_attempt, 0, nullptr, 0, &channel, 0});
}

OfferMessage *offer_new(uint64_t channel, uint64_t alternative, uint32_t index, bool sends, const void *data,
                        size_t bytes) {
  const size_t sent = sends ? bytes : 0;
  auto *offer = message_new<OfferMessage>(sent);
  offer->channel = channel;
  offer->alternative = alternative;
  offer->bytes = bytes;
  offer->index = index;
  offer->sends = sends;
  if (sent)
    memcpy(offer + 1, data, sent);
  return offer;
}

void offer_send(OfferMessage *offer) { link_send(home_of(offer->channel), offer, offer->sends ? offer->bytes : 0); }

void withdraw_send(uint64_t channel, uint64_t alternative) {
  link_tell<WithdrawMessage>(home_of(channel), channel, alternative);
}

void channels_start() {
  deadlines_start();
  homes_start();
  link_handle<ChannelMessage>(on_channel);
  link_handle<OfferMessage>(on_offer);
  link_handle<AttemptMessage>(on_attempt);
  link_handle<WithdrawMessage>(on_withdraw);
  node_died.add(on_node_died);
  await_recalls = [](uint64_t channel, uint64_t call) {
    link_tell<ChannelMessage>(home_of(channel), call, channel, uint64_t{SKEIN_CHANNEL_RECALL}, uint64_t{0},
                              uint64_t{0});
  };
  events.forked.add([] {
    channels_after_fork();
    alternatives_after_fork();
    homes_after_fork();
    deadlines_after_fork();
  });
}

} // namespace skein
