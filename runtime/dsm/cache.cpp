// Sends what is dirty, fetches what is missing, and makes reads and writes of cached ranges. cache.h says what must
// hold, copies.h what a copy is.
#include "dsm/cache.h"
#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "dsm/access.h"
#include "dsm/copies.h"
#include "dsm/follow.h"
#include "dsm/ledger.h"
#include "dsm/parcels.h"
#include "dsm/slices.h"
#include "net/messages/active.h"
#include "net/messages/calls.h"
#include "sched/sched.h"

#include <algorithm>
#include <cstring>

unsigned char __skein_shared_caching;

namespace skein {

namespace {

constexpr uint64_t fetch_most = 8192;

SpinLock lock{Rank::cache};
Copies copies;                            // under the lock, except their epoch
Line *dirty_lines;                        // those with `listed`
uint64_t unsettled;                       // how many lines are dirty or flying
uint64_t unsettled_of[SKEIN_SLICE_COUNT]; // of each slice
bool settling[SKEIN_SLICE_COUNT];         // its owner is leaving: no line of it becomes dirty any more
std::atomic<bool> any_modes{false};
Ledger ledger; // of flights

char *bytes_at(uint64_t address) { return reinterpret_cast<char *>(address); }

// --- flights ---------------------------------------------------------------------------------------------------------

/// A run of dirty bytes on its way to the owner. Its message is composed under the lock and sent without it.
struct Flight {
  Flight *next;
  Line *line;
  uint64_t ledger_epoch;
  uint64_t address, bytes;
  ParcelMessage *put;
};

void count_unsettled(const Line &line, bool before, bool after) {
  const uint64_t more = static_cast<uint64_t>(after) - static_cast<uint64_t>(before);
  unsettled += more;
  unsettled_of[slice_owner(line.number * line_bytes)] += more;
}

/// How a range is cached, as mode_of, or none if this node keeps the slice. Under the lock.
CacheMode mode_here(uint64_t begin, uint64_t end) {
  return slice_reachable(slice_owner(begin)) ? CacheMode::none : copies.mode_of(begin, end);
}

ParcelMessage *put_of(uint64_t address, uint64_t bytes, const char *from) {
  return parcel_of({ParcelWhat::put, 0, true, static_cast<uint32_t>(bytes), address, 0, from});
}

/// Makes flights of all dirty bytes of a line without flights. Under the lock.
void launch_line(Line *line, uint64_t ledger_epoch, Flight *&flights) {
  for (uint64_t from = 0; from < line_bytes;) {
    if (!line->dirty.at(from)) {
      from++;
      continue;
    }
    uint64_t to = from + 1;
    while (to < line_bytes && line->dirty.at(to))
      to++;
    const uint64_t address = line->number * line_bytes + from, bytes = to - from;
    auto *flight = static_cast<Flight *>(message_memory(sizeof(Flight)));
    *flight = {flights, line, ledger_epoch, address, bytes, put_of(address, bytes, line->data + from)};
    if (line->flights)
      ledger.join(ledger_epoch);
    flights = flight;
    line->flights++;
    from = to;
  }
  line->flying.add(line->dirty);
  line->dirty = {};
}

/// Makes flights of all dirty bytes. A line that has flights gets the next ones when these have landed. Under the lock.
void launch_all(Flight *&flights) {
  while (Line *line = dirty_lines) {
    dirty_lines = line->next_dirty;
    line->listed = false;
    if (!line->dirty.any())
      continue;
    if (!line->flights)
      launch_line(line, ledger.begin(), flights);
    else if (!line->again)
      line->again = ledger.begin();
  }
}

void flight_landed(const Call &call, const ReplyMessage *reply, size_t data_bytes);

void send_flights(Flight *flights) {
  while (Flight *flight = flights) {
    flights = flight->next;
    parcel_send(flight->put, true,
                {flight_landed, slice_owner(flight->address), nullptr, flight->address, flight, flight->bytes});
  }
}

void flight_landed(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *flight = static_cast<Flight *>(call.place);
  ParcelOutcome outcome;
  // A block is not freed while it is cached, and what is dirty has landed before its mode changes on all nodes. So the
  // owner has no reason to refuse the write, and the thread that made it has gone on long ago.
  if (!parcel_done(call, reply, data_bytes, 0, outcome) && outcome.code != SKEIN_EDEAD)
    call_distrust(call, "a write of %zu bytes to memory that is cached here was refused: %s", call.place_bytes,
                  outcome.why);
  Line *line = flight->line;
  Flight *flights = nullptr;
  {
    Guard guard(lock);
    if (--line->flights == 0) {
      if (line->epoch == copies.epoch.load(std::memory_order_relaxed))
        line->have.add(line->flying);
      line->flying = {};
      line->written = ++copies.writes; // the answer to a fetch that overtook these puts may still come
      if (line->again) {
        const uint64_t ledger_epoch = line->again;
        line->again = 0;
        launch_line(line, ledger_epoch, flights);
      }
      count_unsettled(*line, true, line->flights || line->dirty.any());
    }
  }
  send_flights(flights);
  ledger.end(flight->ledger_epoch);
  free(flight);
}

/// Sends all that is dirty, without waiting for it to arrive.
void release_writes() {
  Flight *flights = nullptr;
  {
    Guard guard(lock);
    launch_all(flights);
  }
  send_flights(flights);
}

// --- messages --------------------------------------------------------------------------------------------------------

/// A message that waits here until the writes before it are at their owners.
struct Held {
  int to;
  MessageHeader *message;
  size_t bytes;
};

/// Called by link_send. Whether the message waits here for writes to arrive.
bool hold_message(int to, MessageHeader *message, size_t bytes) {
  auto *held = static_cast<Held *>(message_memory(sizeof(Held)));
  *held = {to, message, bytes};
  const auto send_held = [](void *context) {
    const Held was = *static_cast<Held *>(context);
    free(context);
    link_send_past(was.to, was.message, was.bytes);
  };
  if (!cache_release(send_held, held))
    return true;
  free(held);
  return false;
}

void make_copies_stale() {
  if (knobs.fault != Fault::invalidation)
    copies.epoch.fetch_add(1, std::memory_order_relaxed); // before the handler makes a thread ready
}

// --- reads -----------------------------------------------------------------------------------------------------------

/// A read that is under way, or, without a waiter, a prefetch.
struct Read {
  Thread *waiter;
  uint64_t to, from, left;
  CacheMode mode;
  uint64_t piece;         // how many bytes at the front of the read the fetch is for
  uint64_t begin;         // the fetch begins at this address
  uint64_t epoch, writes; // of `copies` when the fetch was sent
  Mask kept;              // bytes of the first line that were taken from the copy already
};

void step_read(Read *read);

/// Copies the bytes of a line's [from, end) that are in `mask`.
void copy_masked(char *to, const Line &line, uint64_t from, uint64_t end, const Mask &mask) {
  for (uint64_t i = from; i < end; i++)
    if (mask.at(i))
      to[i - from] = line.data[i];
}

void finish_fetch(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *read = static_cast<Read *>(call.place);
  ParcelOutcome outcome;
  if (!parcel_done(call, reply, data_bytes, call.place_bytes, outcome)) {
    const Read was = *read;
    free(read);
    if (was.waiter)
      access_fails(was.waiter, "read", was.from, was.left, outcome.why);
    return;
  }
  const char *data = outcome.data;
  {
    Guard guard(lock);
    copies.keep(read->begin, data, call.place_bytes, read->mode, read->epoch, read->writes);
  }
  // The reader gets the bytes that were fetched for it, even if the line was not kept.
  const char *wanted = data + (read->from - read->begin);
  const uint64_t first = read->from % line_bytes;
  if (read->waiter && !read->kept.any())
    copy_words(bytes_at(read->to), wanted, read->piece);
  else if (read->waiter)
    for (uint64_t i = 0; i < read->piece; i++)
      if (first + i >= line_bytes || !read->kept.at(first + i))
        bytes_at(read->to)[i] = wanted[i];
  read->to += read->piece;
  read->from += read->piece;
  read->left -= read->piece;
  step_read(read);
}

/// Takes what is here. True: the read is done. False: its next piece must be fetched, and is described in it.
bool go_through(Read *read) {
  uint64_t end;
  {
    Guard guard(lock);
    while (read->left) {
      const uint64_t from = read->from % line_bytes, to = std::min(line_bytes, from + read->left);
      const Line *line = copies.find(number_of(read->from));
      if (!copies.readable(line, from, to, read->mode))
        break;
      if (read->waiter)
        copy_words(bytes_at(read->to), line->data + from, to - from);
      read->to += to - from;
      read->from += to - from;
      read->left -= to - from;
    }
    if (!read->left)
      return true;
    // The fetch goes from the beginning of the line to the end of the last line that is wanted. It ends earlier where
    // the cached range ends, and before a line that has bytes which the owner does not have yet.
    const uint64_t first = number_of(read->from) * line_bytes, wanted = read->from + read->left;
    read->begin = copies.all_of(first, read->from + 1, read->mode) ? first : read->from;
    end = std::min((wanted + line_bytes - 1) / line_bytes * line_bytes, first + fetch_most);
    for (uint64_t at = first + line_bytes; at < end; at += line_bytes)
      if (const Line *line = copies.find(number_of(at)); line && (line->dirty.any() || line->flying.any()))
        end = at;
    if (!copies.all_of(read->begin, end, read->mode)) // the block ends in this line
      end = std::min(end, wanted);
    read->piece = std::min(end, wanted) - read->from;
    read->epoch = copies.epoch.load(std::memory_order_relaxed);
    read->writes = copies.writes;
    read->kept = {};
    if (const Line *line = copies.find(number_of(read->from))) {
      read->kept.add(line->dirty);
      read->kept.add(line->flying);
      if (read->waiter)
        copy_masked(bytes_at(read->to), *line, read->from % line_bytes,
                    std::min(line_bytes, read->from % line_bytes + read->piece), read->kept);
    }
  }
  return false;
}

void fetch_piece(Read *read, uint64_t bytes) {
  const uint64_t begin = read->begin;
  parcel_send(parcel_of({ParcelWhat::get, 0, true, static_cast<uint32_t>(bytes), begin, 0, nullptr}), true,
              {finish_fetch, slice_owner(begin), read->waiter, begin, read, bytes});
}

/// How many bytes are fetched: up to the end of the piece, and of its line if the range goes on to there.
uint64_t fetch_bytes(const Read &read) {
  const uint64_t end = read.from + read.piece, line_end = (end + line_bytes - 1) / line_bytes * line_bytes;
  Guard guard(lock);
  return (copies.all_of(read.begin, line_end, read.mode) ? line_end : end) - read.begin;
}

void step_read(Read *read) {
  Thread *waiter = read->waiter;
  if (!read->left || go_through(read)) {
    free(read);
    if (waiter)
      follow_wake(waiter, 0);
    return;
  }
  fetch_piece(read, fetch_bytes(*read));
}

// --- writes ----------------------------------------------------------------------------------------------------------

struct Write {
  Thread *waiter;
  uint64_t to, from, left;
};

/// Writes into the lines as far as there is room and they may become dirty. Under the lock.
void write_back(Write &write) {
  while (write.left && !settling[slice_owner(write.to)]) {
    const uint64_t from = write.to % line_bytes, to = std::min(line_bytes, from + write.left);
    Line *line = copies.claim(number_of(write.to));
    if (!line)
      return;
    const bool before = line->flights || line->dirty.any();
    copy_words(line->data + from, bytes_at(write.from), to - from);
    line->dirty.set(from, to);
    line->have.set(from, to, false);
    line->written = ++copies.writes;
    count_unsettled(*line, before, true);
    if (!line->listed) {
      line->listed = true;
      line->next_dirty = dirty_lines;
      dirty_lines = line;
    }
    write.to += to - from;
    write.from += to - from;
    write.left -= to - from;
  }
}

void write_through(Write *write);

/// Writes into the lines, and starts a release and goes on after it when there is no room. The rest of a write to a
/// slice whose owner is leaving goes through, after what was written before.
void go_on_writing(void *context) {
  auto *write = static_cast<Write *>(context);
  for (;;) {
    bool through;
    {
      Guard guard(lock);
      write_back(*write);
      const int owner = write->left ? slice_owner(write->to) : node.self;
      through = settling[owner] && !unsettled_of[owner];
    }
    if (through)
      return write_through(write);
    if (!write->left) {
      Thread *waiter = write->waiter;
      free(write);
      return thread_wake(waiter, 0);
    }
    release_writes();
    if (!ledger.wait(go_on_writing, write))
      return;
  }
}

void written_through(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *write = static_cast<Write *>(call.place);
  const Write was = *write;
  ParcelOutcome outcome;
  if (!parcel_done(call, reply, data_bytes, 0, outcome)) {
    free(write);
    return access_fails(was.waiter, "wrote", was.to, was.left, outcome.why);
  }
  const uint64_t piece = call.place_bytes;
  {
    Guard guard(lock);
    copies.written_through(was.to, bytes_at(was.from), piece);
  }
  *write = {was.waiter, was.to + piece, was.from + piece, was.left - piece};
  if (write->left)
    return write_through(write);
  free(write);
  follow_wake(was.waiter, 0);
}

/// Sends the next piece. The write may be gone when this returns.
void write_through(Write *write) {
  const uint64_t to = write->to, piece = std::min(write->left, copy_piece_most);
  parcel_send(put_of(to, piece, bytes_at(write->from)), true,
              {written_through, slice_owner(to), write->waiter, to, write, piece});
}

} // namespace

bool cache_read(Thread *self, uint64_t to, uint64_t from, uint64_t bytes, Thread *&next) {
  Read read = {self, to, from, bytes, CacheMode::none, 0, 0, 0, 0, {}};
  {
    Guard guard(lock);
    read.mode = mode_here(from, from + bytes);
  }
  if (read.mode == CacheMode::none)
    return false;
  next = self;
  if (go_through(&read))
    return true;
  block_for(self, "a read of shared memory", from);
  follow_count(self, slice_owner(from));
  auto *under_way = static_cast<Read *>(message_memory(sizeof(Read)));
  *under_way = read;
  fetch_piece(under_way, fetch_bytes(read));
  next = thread_next();
  return true;
}

bool cache_write(Thread *self, uint64_t to, uint64_t from, uint64_t bytes, Thread *&next) {
  Write write = {self, to, from, bytes};
  CacheMode mode;
  {
    Guard guard(lock);
    mode = mode_here(to, to + bytes);
    if (mode == CacheMode::back)
      write_back(write);
  }
  if (mode == CacheMode::none)
    return false;
  next = self;
  if (!write.left)
    return true;
  block_for(self, "a write to shared memory", to);
  auto *under_way = static_cast<Write *>(message_memory(sizeof(Write)));
  *under_way = write;
  if (mode == CacheMode::back) {
    go_on_writing(under_way);
  } else {
    follow_count(self, slice_owner(to));
    write_through(under_way);
  }
  next = thread_next();
  return true;
}

bool cache_covers(uint64_t begin, uint64_t bytes) {
  if (!any_modes.load(std::memory_order_acquire)) // pairs with the store in cache_set
    return false;
  Guard guard(lock);
  return !copies.all_of(begin, begin + bytes, CacheMode::none);
}

void cache_set(uint64_t begin, uint64_t bytes, CacheMode mode) {
  Guard guard(lock);
  const bool makes = !slice_reachable(slice_owner(begin)); // else no copies are needed
  const bool first = makes && !copies.made();
  copies.set_mode(begin, bytes, mode, makes);
  any_modes.store(true, std::memory_order_release);
  if (!first)
    return;
  link_hold = hold_message;
  link_entered = make_copies_stale;
  __atomic_store_n(&__skein_shared_caching, 1, __ATOMIC_RELEASE);
}

bool cache_settle(int owner) {
  {
    Guard guard(lock);
    settling[owner] = true;
    if (!unsettled_of[owner])
      return true;
  }
  release_writes();
  return false;
}

void cache_adopt(int owner) {
  Guard guard(lock);                                                // from here on mode_here says so to all who write
  __atomic_store_n(&slices_adopted[owner], true, __ATOMIC_RELEASE); // pairs with the acquire in slice_kept
}

bool cache_remains() {
  {
    Guard guard(lock);
    if (!unsettled)
      return false;
  }
  release_writes();
  return true;
}

void cache_each(void (*function)(void *context, uint64_t begin, uint64_t end, CacheMode mode), void *context) {
  Guard guard(lock);
  copies.modes.each(
      [&](uint64_t begin, uint64_t end, uint8_t mode) { function(context, begin, end, static_cast<CacheMode>(mode)); });
}

bool cache_release(void (*done)(void *), void *context) {
  {
    Guard guard(lock);
    if (!unsettled || knobs.fault == Fault::flush)
      return true;
  }
  release_writes();
  return ledger.wait(done, context);
}

void cache_acquire() { make_copies_stale(); }

extern "C" Thread *skein_shared_acquire_call(Thread *self) {
  make_copies_stale();
  return self;
}

extern "C" Thread *skein_shared_release_call(Thread *self) {
  thread_block(self, "a release of shared memory", nullptr);
  const auto wake = [](void *context) { thread_wake(static_cast<Thread *>(context), 0); };
  return cache_release(wake, self) ? go_on(self, 0) : thread_next();
}

extern "C" Thread *skein_shared_prefetch_call(Thread *self, uint64_t begin, uint64_t bytes) {
  if (!bytes || !slice_holds(begin, bytes) || slice_reachable(slice_owner(begin)))
    return self;
  Read read = {nullptr, 0, begin, bytes, CacheMode::none, 0, 0, 0, 0, {}};
  {
    Guard guard(lock);
    if (copies.made())
      read.mode = mode_here(begin, begin + bytes);
  }
  if (read.mode == CacheMode::none || go_through(&read))
    return self;
  auto *under_way = static_cast<Read *>(message_memory(sizeof(Read)));
  *under_way = read;
  fetch_piece(under_way, fetch_bytes(read));
  return self;
}

} // namespace skein
