// A binary heap of parties by their deadlines; see deadlines.h. A party knows its place in it, counted from 1.
#include "channels/deadlines.h"
#include "base/log.h"
#include "net/run/progress.h"
#include "net/run/termination.h"

#include <cstdlib>
#include <new>

namespace skein {

namespace {

SpinLock lock{Rank::leaf};
Party **heap; // heap[1] is the earliest
uint32_t used, room;

void place(uint32_t at, Party *party) {
  heap[at] = party;
  party->deadline_at = at;
}

/// Lets a party find its place from `at` on, upwards and then downwards.
void settle(uint32_t at, Party *party) {
  for (; at > 1 && heap[at / 2]->deadline_ns > party->deadline_ns; at /= 2)
    place(at, heap[at / 2]);
  for (uint32_t child = 2 * at; child <= used; child = 2 * at) {
    if (child < used && heap[child + 1]->deadline_ns < heap[child]->deadline_ns)
      child++;
    if (heap[child]->deadline_ns >= party->deadline_ns)
      break;
    place(at, heap[child]);
    at = child;
  }
  place(at, party);
}

void insert(Party *party) {
  Guard guard(lock);
  if (used + 1 >= room) {
    room = room ? 2 * room : 64;
    heap = static_cast<Party **>(realloc(heap, room * sizeof *heap));
    if (!heap)
      fatal("no memory for %u deadlines", room);
  }
  settle(++used, party);
}

/// The channel of the earliest party if that is due; else null, and `next` is in how many nanoseconds it is.
Channel *first_due(uint64_t now, uint64_t &next) {
  Guard guard(lock);
  next = !used ? forever : heap[1]->deadline_ns > now ? heap[1]->deadline_ns - now : 0;
  return next ? nullptr : heap[1]->channel;
}

/// Ends the waits in this channel that are due. One that is found in no queue is part of a deal, and ends with that.
void end_due(Channel &channel, uint64_t now) {
  channel_change(channel, [&](List<Party> &ended) {
    List<Party> due;
    parties_leave(channel, due,
                  [&](const Party &party) { return party.kind == PartyKind::call && party.deadline_ns <= now; });
    while (Party *party = due.pop_front())
      party_over(party, SKEIN_ETIME, 0, ended);
    return false;
  });
}

uint64_t tick(uint64_t now) {
  uint64_t next;
  while (Channel *channel = first_due(now, next))
    end_due(*channel, now);
  return next;
}

} // namespace

void deadlines_after_fork() {
  new (&lock) SpinLock(Rank::leaf);
  used = 0;
}

void deadlines_start() {
  progress_also_due = tick;
  deadlines_pending = [] { return __atomic_load_n(&used, __ATOMIC_RELAXED) != 0; };
}

void deadline_add(Party *party) {
  if (party->deadline_ns == forever)
    return;
  insert(party);
  progress_wake_within(time_left(party->deadline_ns));
}

void deadline_remove(Party *party) {
  if (party->deadline_ns == forever)
    return;
  Guard guard(lock);
  const uint32_t at = party->deadline_at; // other parties' comings and goings move it
  if (!at)
    return;
  party->deadline_at = 0;
  Party *last = heap[used--];
  if (last != party)
    settle(at, last);
}

} // namespace skein
