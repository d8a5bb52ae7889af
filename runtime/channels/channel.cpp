// Parties, and what threads of this node do with a channel that lives here; see channel.h.
#include "channels/channel.h"
#include "channels/alternatives.h"
#include "channels/deadlines.h"
#include "channels/homes.h"
#include "channels/remote.h"
#include "sync/ending.h"

#include <cstdio>
#include <cstring>
#include <new>

namespace skein {

namespace {

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
  wish_of(party)->left_ns = time_left(party->deadline_ns);
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
const WaitKind &kind_of(bool sends) { return sends ? send_kind : receive_kind; }

uint64_t result_of(int code, size_t bytes) { return static_cast<uint64_t>(code) | bytes << SKEIN_CHANNEL_CODE_BITS; }

/// How a send or receive of the thread has ended: sets its error text. Returns its result.
uint64_t note_end(Thread *thread, bool sends, int code, size_t bytes) {
  if (code)
    thread_error(thread, code, "%s: %s", kind_of(sends).call, channel_words(code, bytes).text);
  else
    thread_error_clear(thread);
  return result_of(code, bytes);
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
  message_copy(memory + sizeof(StoredMessage), data, bytes);
  return message;
}

StoredMessage *message_lent(const BorrowedMemory &lent, size_t bytes) {
  StoredMessage *message = message_stored(nullptr, nullptr, bytes);
  message->lent = lent;
  return message;
}

void message_drop(StoredMessage *message) {
  free(message->block);
  free(message);
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

void party_over(Party *party, int code, size_t bytes, List<Party> &ended) {
  party->state = PartyState::over;
  party->code = code;
  party->bytes = bytes;
  ended.push_back(party);
}

uint64_t party_put_back(Channel &channel, Party *party, List<Party> &ended) {
  if (party->kind == PartyKind::here && alternative_is_over(*party->alternative))
    return 0;
  if (party->deadline_ns != forever && time_left(party->deadline_ns) == 0) {
    party_over(party, SKEIN_ETIME, 0, ended);
    return 0;
  }
  party->state = PartyState::standing;
  queue_of(channel, party).push_front(party);
  if (party->kind == PartyKind::call)
    deadline_add(party);
  if (party->kind != PartyKind::thread)
    return 0;
  party->waits = true;
  return wait_again(party->thread, kind_of(party->sends), &channel, party->deadline_ns);
}

void parties_end(List<Party> &ended) {
  while (Party *party = ended.pop_front()) {
    switch (party->kind) {
    case PartyKind::thread: {
      Thread *thread = party->thread;
      const bool again = party->code == code_again;
      if (again)
        wish_of(party)->left_ns = time_left(party->deadline_ns);
      const uint64_t result = again ? SKEIN_CHANNEL_AGAIN : note_end(thread, party->sends, party->code, party->bytes);
      wipe(party);
      wait_end(thread, result);
      break;
    }
    case PartyKind::call:
      call_end(party, result_of(party->code, party->bytes));
      break;
    case PartyKind::here:
      alternative_end(*party->alternative, party->index, party->code, party->bytes);
      break;
    case PartyKind::there:
      offer_end(party);
      break;
    }
  }
}

ChannelWords channel_words(int code, size_t bytes) {
  ChannelWords words;
  if (code == SKEIN_EMEMORY)
    snprintf(words.text, sizeof words.text, "the message has %zu bytes", bytes);
  else
    snprintf(words.text, sizeof words.text, "%s", channel_text(code));
  return words;
}

const char *channel_text(int code) {
  return code == SKEIN_ECLOSED   ? "the channel is closed"
         : code == SKEIN_ETIME   ? "the time is over"
         : code == SKEIN_EDEAD   ? "the node of the channel died"
         : code == SKEIN_EMEMORY ? "there is no room for the message"
                                 : "there is no such channel";
}

// --- what is done with a channel -------------------------------------------------------------------------------------

int channel_close(uint64_t handle, bool frees, uint64_t &forward) {
  Channel *channel = channel_record(handle);
  int code = SKEIN_ETHREAD;
  uint64_t former = 0;
  if (channel)
    channel_change(*channel, [&](List<Party> &ended) {
      if (channel->handle != handle)
        return false;
      forward = channel->forward.load(std::memory_order_relaxed);
      if (forward) {
        code = code_again;
        return false;
      }
      code = SKEIN_OK;
      channel->closed = true;
      if (frees) {
        channel->handle = 0;
        former = home_forgets(*channel);
      }
      return channel_match(*channel, ended);
    });
  home_tell_freed(former);
  return code;
}

bool channel_try(Channel &channel, uint64_t handle, Party *own) {
  bool done = false;
  channel_change(channel, [&](List<Party> &ended) {
    if (channel.handle != handle) {
      own->code = SKEIN_ETHREAD;
      done = true;
      return false;
    }
    if (channel.forward.load(std::memory_order_relaxed) ||
        !channel_passes_at_once(channel, own)) // then it could become part of a deal
      return false;
    party_comes(channel, own);
    const bool deal = channel_match(channel, ended);
    SKEIN_ASSERT(own->state != PartyState::dealing, "a deal with what lies on a worker's stack");
    done = own->state == PartyState::over;
    if (done)
      List<Party>::remove(own); // from `ended`
    else
      party_leaves(channel, own);
    return deal;
  });
  return done;
}

Thread *channel_wish_here(Thread *self, uint64_t handle, bool sends, skein_channel_wish *wish) {
  auto *own = new (wish->reserved) Party();
  own->kind = PartyKind::thread;
  own->thread = self;
  own->sends = sends;
  own->data = wish->data;
  own->bytes = wish->bytes;
  own->deadline_ns = deadline_in(wish->left_ns);
  int code = SKEIN_ETHREAD;
  size_t bytes = 0;
  bool blocked = false; // then `own` is not ours any more
  bool again = false;
  if (Channel *channel = channel_record(handle))
    channel_change(*channel, [&](List<Party> &ended) {
      if (channel->handle != handle)
        return false;
      if (channel->forward.load(std::memory_order_relaxed)) {
        again = true;
        return false;
      }
      party_comes(*channel, own);
      const bool deal = channel_match(*channel, ended);
      if (own->state == PartyState::over) {
        List<Party>::remove(own); // from `ended`
        code = own->code;
        bytes = own->bytes;
      } else if (own->state == PartyState::standing && wish->left_ns == 0) {
        party_leaves(*channel, own);
        code = SKEIN_ETIME;
      } else {
        blocked = true;
        self->wait_detail = reinterpret_cast<uint64_t>(own);
        if (own->state == PartyState::standing) {
          own->waits = true;
          wait_begin(self, kind_of(sends), channel, own->deadline_ns);
        } else { // of a deal: nobody else finds it
          thread_block(self, kind_of(sends).call, nullptr);
        }
      }
      return deal;
    });
  if (blocked)
    return wait_next();
  wipe(own);
  self->result = again ? SKEIN_CHANNEL_AGAIN : note_end(self, sends, code, bytes);
  return self;
}

void channels_after_fork() {
  records_after_fork();
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

} // namespace skein
