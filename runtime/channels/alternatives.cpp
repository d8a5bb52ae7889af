// Alternatives; see alternatives.h.
#include "channels/alternatives.h"
#include "base/id_table.h"
#include "channels/homes.h"
#include "channels/remote.h"
#include "sched/timers.h"
#include "sync/ending.h"

#include <cstdio>
#include <cstring>
#include <new>

namespace skein {

struct Alternative {
  enum class State : uint8_t { linking, waiting, claimed, over };

  Ring ring; // of its thread; first. Its bucket's lock guards what follows up to `missed`
  State state = State::linking;
  bool missed = false;           // a deal asked in vain
  std::atomic<bool> over{false}; // set before its cases leave their channels
  std::atomic<uint32_t> kept{1};
  Thread *thread;
  skein_alternative *cases; // in the thread's memory; while it is not over
  uint64_t *left_ns;        // likewise
  uint64_t deadline_ns;
  uint64_t number = 0; // by which other nodes know it; 0: no other node does
  uint32_t count = 0, first = 0;
  Attempt *attempts = nullptr; // that wait
  Party parties[];             // one for each case

  /// Whether an attempt may wait: whoever waits is before the one that is waited for.
  bool may_wait(const Attempt &attempt) const {
    return attempt.asking < number || (attempt.asking == number && attempt.from < node.self);
  }

  /// The channel of a case; 0: the case does not happen.
  uint64_t channel_of(uint32_t index) const { return parties[index].number; }
  Channel *channel_here(uint32_t index) const { return channel_record(channel_of(index)); }
  bool is_elsewhere(uint32_t index) const { return channel_of(index) && home_of(channel_of(index)) != node.self; }
};

namespace {

SpinLock lock{Rank::leaf};
IdTable<Alternative *> alternatives; // those with a number
uint64_t last_number;

SpinLock &lock_of(const Alternative &alternative) { return bucket_of(&alternative); }

Alternative *alternative_of(const Thread *thread) { return reinterpret_cast<Alternative *>(thread->wait_detail); }

/// Those that wait; the caller answers them.
Attempt *take_attempts(Alternative &alternative) {
  Guard guard(lock_of(alternative));
  Attempt *all = alternative.attempts;
  alternative.attempts = nullptr;
  return all;
}

/// Returns the next one.
Attempt *attempt_free(Attempt *attempt) {
  Attempt *next = attempt->next;
  free(attempt->block);
  free(attempt);
  return next;
}

void withdraw_offers(const Alternative &alternative) {
  for (uint32_t i = 0; i < alternative.count; i++)
    if (alternative.is_elsewhere(i))
      withdraw_send(alternative.channel_of(i), alternative.number);
}

/// It is over, and its thread belongs to the caller: no case stands in a channel any more when this returns.
void leave_channels(Alternative &alternative) {
  alternative.over.store(true, std::memory_order_seq_cst); // before the looks under the channels' locks
  for (uint32_t i = 0; i < alternative.count; i++) {
    if (Channel *channel = alternative.channel_here(i)) {
      Guard guard(skein::lock_of(*channel));
      if (alternative.parties[i].linked())
        party_leaves(*channel, &alternative.parties[i]);
    }
  }
  withdraw_offers(alternative);
  if (alternative.number) {
    Guard guard(lock);
    alternatives.erase(alternative.number);
  }
  for (Attempt *attempt = take_attempts(alternative); attempt; attempt = attempt_free(attempt))
    call_reply(attempt->from, attempt->call, static_cast<uint64_t>(Agreed::no));
}

void withdrawn(Thread *thread, Woken &) { alternative_of(thread)->state = Alternative::State::over; }

/// The error text for the case that has happened.
void note_case(Thread *thread, uint32_t index, int code) {
  if (code)
    thread_error(thread, code, "skein_alt: case %u: %s", index, channel_text(code));
  else
    thread_error_clear(thread);
}

/// Looks at all channels of this node that its cases stand in, or stood in.
void look_again(const Alternative &alternative) {
  for (uint32_t i = 0; i < alternative.count; i++)
    if (Channel *channel = alternative.channel_here(i))
      channel_kick(*channel);
}

void go_on(Thread *thread, uint64_t result) {
  Alternative *alternative = alternative_of(thread);
  leave_channels(*alternative);
  alternative_drop(*alternative);
  thread_error_clear(thread);
  wait_end(thread, result == SKEIN_ETIME ? static_cast<uint64_t>(SKEIN_ALTERNATIVE_TIME) : result);
}

void moved(Thread *thread) {
  Alternative *alternative = alternative_of(thread);
  leave_channels(*alternative);
  *alternative->left_ns = time_left(alternative->deadline_ns);
  alternative_drop(*alternative);
  thread->result = static_cast<uint64_t>(SKEIN_ALTERNATIVE_AGAIN);
}

void describe(const Thread &thread, char *to, size_t bytes) {
  const Alternative *alternative = alternative_of(&thread);
  int written = snprintf(to, bytes, "the first of %u cases", alternative->count);
  for (uint32_t i = 0; i < alternative->count && written > 0 && static_cast<size_t>(written) < bytes; i++)
    if (const uint64_t channel = alternative->channel_of(i))
      written += snprintf(to + written, bytes - static_cast<size_t>(written), ", channel %llu of node %d",
                          static_cast<unsigned long long>(thread_id_number(channel)), home_of(channel));
}

constexpr WaitKind alternative_kind = {
    .call = "skein_alt", .withdrawn = withdrawn, .go_on = go_on, .moved = moved, .describe = describe};

/// Offers to other nodes, which are written while the thread's memory is still at hand, and sent when it waits.
class Offers {
public:
  Offers() = default;
  Offers(const Offers &) = delete;
  ~Offers() { free(all_); }
  void write(const Alternative &alternative, uint32_t index) {
    if (!all_)
      all_ = static_cast<OfferMessage **>(message_memory(alternative.count * sizeof(OfferMessage *)));
    const Party &party = alternative.parties[index];
    all_[used_++] =
        offer_new(alternative.channel_of(index), alternative.number, index, party.sends, party.data, party.bytes);
  }
  /// The alternative is kept, and may have become over: then what withdrew its cases may have come before the offers.
  void send(const Alternative &alternative) {
    for (uint32_t i = 0; i < used_; i++)
      offer_send(all_[i]);
    if (used_ && alternative_is_over(alternative))
      withdraw_offers(alternative);
  }

private:
  OfferMessage **all_ = nullptr;
  uint32_t used_ = 0;
};

/// It waits, and perhaps does not any more. Lets it look for deals in all channels of this node that its cases stand
/// in, from `first` on, and look whether the nodes of the others live.
void look_around(Alternative &alternative) {
  for (uint32_t i = 0; i < alternative.count; i++) {
    const uint32_t at = (alternative.first + i) % alternative.count;
    Channel *channel = alternative.channel_here(at);
    if (channel && __atomic_load_n(&channel->handle, __ATOMIC_RELAXED) == alternative.channel_of(at)) {
      if (channel->forward.load(std::memory_order_acquire))
        alternative_ask_again(alternative);
      else
        channel_kick(*channel);
    } else if (channel && alternative_claim(alternative) == Agreed::yes)
      alternative_end(alternative, at, SKEIN_ETHREAD, 0); // it has been freed
    else if (alternative.is_elsewhere(at) && !link_keeps(home_of(alternative.channel_of(at))) &&
             alternative_claim(alternative) == Agreed::yes)
      alternative_end(alternative, at, SKEIN_EDEAD, 0);
  }
}

/// What can be said of a case's channel without a look at the channel: SKEIN_OK, or why it can never happen.
int reachable(uint64_t channel) {
  if (!channel || home_of(channel) >= node.count || (home_of(channel) == node.self && !channel_record(channel)))
    return SKEIN_ETHREAD;
  return link_keeps(home_of(channel)) ? SKEIN_OK : SKEIN_EDEAD;
}

Alternative *alternative_new(Thread *self, skein_alternative *cases, uint32_t count, uint32_t first,
                             uint64_t *left_ns) {
  void *memory = malloc(sizeof(Alternative) + count * sizeof(Party));
  if (!memory)
    return nullptr;
  auto *made = new (memory) Alternative();
  made->thread = self;
  made->cases = cases;
  made->left_ns = left_ns;
  made->deadline_ns = deadline_in(*left_ns);
  made->count = count;
  made->first = first;
  bool elsewhere = false;
  for (uint32_t i = 0; i < count; i++) {
    Party *party = new (made->parties + i) Party();
    party->kind = PartyKind::here;
    party->alternative = made;
    party->index = i;
    party->sends = cases[i].kind == SKEIN_ALT_SEND;
    party->data = cases[i].data;
    party->bytes = cases[i].bytes;
    party->number = cases[i].kind == SKEIN_ALT_RECEIVE || party->sends ? channel_resolve(cases[i].channel) : 0;
    elsewhere = elsewhere || made->is_elsewhere(i);
  }
  if (elsewhere) {
    Guard guard(lock);
    made->number = ++last_number;
    alternatives[made->number] = made;
  }
  return made;
}

/// Tries the cases whose channels are here, without waiting. Returns the one that happened, or -1.
int try_cases(Thread *self, skein_alternative *cases, uint32_t count, uint32_t first) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = (first + i) % count;
    skein_alternative &each = cases[at];
    if (each.kind != SKEIN_ALT_RECEIVE && each.kind != SKEIN_ALT_SEND)
      continue;
    const uint64_t channel = channel_resolve(each.channel);
    if (const int code = reachable(channel)) {
      each.code = code;
      return static_cast<int>(at);
    }
    if (home_of(channel) != node.self)
      continue;
    Party own;
    own.kind = PartyKind::thread;
    own.thread = self;
    own.sends = each.kind == SKEIN_ALT_SEND;
    own.data = each.data;
    own.bytes = each.bytes;
    if (channel_try(*channel_record(channel), channel, &own)) {
      each.code = own.code;
      each.got = own.sends ? 0 : own.bytes;
      return static_cast<int>(at);
    }
  }
  return -1;
}

} // namespace

/// `attempt`: of another node, for which this is. If it waits, `kept` takes its place.
static Agreed claim(Alternative &alternative, const Attempt *attempt = nullptr, Attempt *kept = nullptr) {
  Guard guard(lock_of(alternative));
  switch (alternative.state) {
  case Alternative::State::over:
    return Agreed::no;
  case Alternative::State::waiting:
    alternative.state = Alternative::State::claimed;
    alternative.ring.take(alternative.thread);
    return Agreed::yes;
  default:
    if (kept) {
      Attempt **last = &alternative.attempts;
      while (*last)
        last = &(*last)->next;
      *last = kept;
      return Agreed::later;
    }
    alternative.missed = true;
    if (attempt)
      alternative.parties[attempt->index].renew = true;
    return Agreed::later;
  }
}

Agreed alternative_claim(Alternative &alternative) { return claim(alternative); }

bool alternative_will_look(Alternative &alternative) {
  Guard guard(lock_of(alternative));
  const bool will =
      alternative.state == Alternative::State::linking || alternative.state == Alternative::State::claimed;
  // It may have looked since it was first missed, while the channel was busy, and have been claimed anew.
  alternative.missed = alternative.missed || will;
  return will;
}

bool alternative_is_over(const Alternative &alternative) { return alternative.over.load(std::memory_order_seq_cst); }

void alternative_keep(Alternative &alternative) { alternative.kept.fetch_add(1, std::memory_order_relaxed); }

void alternative_drop(Alternative &alternative) {
  if (alternative.kept.fetch_sub(1, std::memory_order_acq_rel) == 1)
    free(&alternative);
}

static void decide(Alternative &alternative, const Attempt &attempt, Attempt *kept);

void alternative_release(Alternative &alternative) {
  Thread *thread = alternative.thread;
  timer_cancel(thread->timer); // from here on it does not fire any more
  bool missed = false, expired;
  uint64_t cancelled = 0;
  Offers offers;
  alternative_keep(alternative);
  {
    Guard guard(lock_of(alternative));
    expired = alternative.deadline_ns != forever && time_left(alternative.deadline_ns) == 0;
    alternative.state = expired ? Alternative::State::over : Alternative::State::waiting;
    missed = alternative.missed;
    alternative.missed = false;
    if (!expired) {
      for (uint32_t i = 0; i < alternative.count; i++)
        if (alternative.parties[i].renew) {
          alternative.parties[i].renew = false;
          offers.write(alternative, i);
        }
      cancelled = wait_again(thread, alternative_kind, &alternative, alternative.deadline_ns);
    }
  }
  if (expired) {
    go_on(thread, SKEIN_ETIME);
    if (missed)
      look_again(alternative);
  } else {
    if (cancelled)
      cancel_blocked(cancelled);
    offers.send(alternative);
    for (Attempt *attempt = take_attempts(alternative), *next; attempt; attempt = next) {
      next = attempt->next;
      attempt->next = nullptr;
      decide(alternative, *attempt, attempt);
    }
    if (missed)
      look_around(alternative);
  }
  alternative_drop(alternative);
}

/// Of a claimed one: the thread goes on with `result`.
static void end(Alternative &alternative, uint64_t result) {
  bool missed;
  {
    Guard guard(lock_of(alternative));
    alternative.state = Alternative::State::over;
    missed = alternative.missed;
  }
  leave_channels(alternative);
  wait_end(alternative.thread, result);
  if (missed)
    look_again(alternative);
  alternative_drop(alternative);
}

void alternative_end(Alternative &alternative, uint32_t index, int code, size_t bytes) {
  skein_alternative &happened = alternative.cases[index];
  happened.code = code;
  happened.got = happened.kind == SKEIN_ALT_RECEIVE ? bytes : 0;
  note_case(alternative.thread, index, code);
  end(alternative, index);
}

/// The same for a claimed one of which no case has happened.
static void end_without(Alternative &alternative) {
  *alternative.left_ns = time_left(alternative.deadline_ns);
  end(alternative, static_cast<uint64_t>(SKEIN_ALTERNATIVE_AGAIN));
}

void alternative_ask_again(Alternative &alternative) {
  if (claim(alternative) == Agreed::yes)
    end_without(alternative);
}

/// Another node asks an alternative that is kept. Takes `kept`, if it is given, which the attempt is.
static void decide(Alternative &alternative, const Attempt &attempt, Attempt *kept) {
  const Party *party = &alternative.parties[attempt.index];
  const bool again = attempt.code == code_again; // then `bytes` is where the channel went
  if (again)
    channel_alias(alternative.channel_of(attempt.index), attempt.bytes);
  Agreed agreed = claim(alternative, &attempt, kept);
  if (agreed == Agreed::later && kept)
    return; // it waits
  if (agreed == Agreed::yes && again) {
    end_without(alternative);
  } else if (agreed == Agreed::yes) {
    int code = attempt.code;
    if (code == SKEIN_OK && !party->sends && attempt.bytes > party->bytes) {
      code = SKEIN_EMEMORY;
      agreed = Agreed::no; // the message stays where it is
    } else if (code == SKEIN_OK && attempt.bytes) {
      message_copy(party->data, attempt.data, attempt.bytes);
    }
    alternative_end(alternative, attempt.index, code, attempt.bytes);
  }
  call_reply(attempt.from, attempt.call, static_cast<uint64_t>(agreed));
  if (kept)
    attempt_free(kept);
}

uint64_t alternative_number(const Alternative &alternative) { return alternative.number; }

bool alternative_attempted(const Attempt &attempt, Arrival &arrival) {
  Alternative *found = nullptr;
  {
    Guard guard(lock);
    if (Alternative **known = alternatives.find(attempt.alternative)) {
      found = *known;
      alternative_keep(*found);
    }
  }
  if (!found) { // it is over
    call_reply(attempt.from, attempt.call, static_cast<uint64_t>(Agreed::no));
    return true;
  }
  const Party *party = attempt.index < found->count ? &found->parties[attempt.index] : nullptr;
  const bool again = attempt.code == code_again;
  const bool right = party && found->is_elsewhere(attempt.index) &&
                     speaks_for(attempt.from, home_of(found->channel_of(attempt.index))) &&
                     (again ? home_of(attempt.bytes) < node.count : !party->sends || !attempt.bytes);
  if (right) {
    Attempt *kept = nullptr;
    if (found->may_wait(attempt)) {
      kept = new (message_memory(sizeof(Attempt))) Attempt(attempt);
      kept->block = arrival.message;
      arrival.message = nullptr;
    }
    decide(*found, kept ? *kept : attempt, kept);
  }
  alternative_drop(*found);
  return right;
}

void alternatives_after_fork() {
  new (&lock) SpinLock(Rank::leaf);
  new (&alternatives) IdTable<Alternative *>();
}

void alternatives_without_dead() {
  Alternative **all;
  size_t count = 0;
  {
    Guard guard(lock);
    all = static_cast<Alternative **>(message_memory((alternatives.size() + 1) * sizeof *all));
    alternatives.each([&](uint64_t, Alternative *&alternative) {
      alternative_keep(*alternative);
      all[count++] = alternative;
    });
  }
  for (size_t i = 0; i < count; i++) {
    look_around(*all[i]);
    alternative_drop(*all[i]);
  }
  free(all);
}

extern "C" Thread *skein_alternative_call(Thread *self, uint64_t cases_word, uint64_t count_word, uint64_t first_word,
                                          uint64_t left_word) {
  auto *cases = reinterpret_cast<skein_alternative *>(cases_word);
  auto *left_ns = reinterpret_cast<uint64_t *>(left_word);
  const auto count = static_cast<int>(count_word) > 0 ? static_cast<uint32_t>(count_word) : 0;
  const auto first = static_cast<uint32_t>(first_word);
  thread_error_clear(self);
  if (const int happened = try_cases(self, cases, count, first); happened >= 0) {
    note_case(self, static_cast<uint32_t>(happened), cases[happened].code);
    self->result = static_cast<uint64_t>(happened);
    return self;
  }
  Alternative *made = alternative_new(self, cases, count, first, left_ns);
  if (!made) {
    thread_error(self, SKEIN_EMEMORY, "skein_alt: no memory for %u cases", count);
    self->result = static_cast<uint64_t>(SKEIN_ALTERNATIVE_MEMORY);
    return self;
  }
  Offers offers;
  for (uint32_t i = 0; i < count; i++)
    if (Channel *channel = made->channel_here(i)) {
      Guard guard(skein::lock_of(*channel));
      if (channel->handle == made->channel_of(i) && !channel->forward.load(std::memory_order_relaxed))
        party_comes(*channel, &made->parties[i]);
    } else if (made->is_elsewhere(i)) {
      offers.write(*made, i);
    }
  alternative_keep(*made);
  self->wait_detail = reinterpret_cast<uint64_t>(made);
  {
    Guard guard(lock_of(*made));
    made->state = Alternative::State::waiting;
    made->missed = false;
    wait_begin(self, alternative_kind, made, made->deadline_ns);
  }
  offers.send(*made);
  look_around(*made);
  alternative_drop(*made);
  return wait_next();
}

} // namespace skein
