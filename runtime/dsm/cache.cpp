// Lines, fetches, flights; see cache.h.
#include "dsm/cache.h"
#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "dsm/access.h"
#include "dsm/follow.h"
#include "dsm/intervals.h"
#include "dsm/ledger.h"
#include "dsm/slices.h"
#include "net/active.h"
#include "net/calls.h"
#include "sched/sched.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

unsigned char __skein_shared_caching;

namespace skein {

namespace {

constexpr uint64_t line_bytes = 512;
constexpr unsigned mask_words = line_bytes / 64;
constexpr uint64_t fetch_most = 8192;
constexpr unsigned ways = 8;

/// A bit for each byte of a line.
struct Mask {
  uint64_t words[mask_words];

  bool any() const {
    uint64_t all = 0;
    for (uint64_t word : words)
      all |= word;
    return all != 0;
  }
  bool at(uint64_t byte) const { return words[byte / 64] >> byte % 64 & 1; }
  void set(uint64_t from, uint64_t to, bool value = true) {
    for (uint64_t word = from / 64; word * 64 < to; word++) {
      uint64_t bits = UINT64_MAX;
      if (from > word * 64)
        bits &= UINT64_MAX << (from - word * 64);
      if (to < word * 64 + 64)
        bits &= (UINT64_C(1) << (to - word * 64)) - 1;
      words[word] = value ? words[word] | bits : words[word] & ~bits;
    }
  }
  bool all(uint64_t from, uint64_t to) const {
    Mask wanted{};
    wanted.set(from, to);
    for (unsigned i = 0; i < mask_words; i++)
      if (wanted.words[i] & ~words[i])
        return false;
    return true;
  }
  void add(const Mask &other) {
    for (unsigned i = 0; i < mask_words; i++)
      words[i] |= other.words[i];
  }
};

struct Line {
  uint64_t number;  // its address / line_bytes; 0: unused
  uint64_t epoch;   // of `have`
  uint64_t written; // count of writes when it was last written here, or what was written reached its owner
  uint64_t again;   // ledger epoch of a flight that waits for the one under way; 0: none
  unsigned flights; // puts under way
  bool listed;      // in `dirty_lines`
  Line *next_dirty;
  Mask have, dirty, flying;
  char data[line_bytes];
};

SpinLock lock{Rank::cache};
Line *lines; // `sets` times `ways`
uint64_t sets;
uint32_t hand;      // which way is looked at first for a victim
Line *dirty_lines;  // listed ones
uint64_t unsettled; // lines that are dirty or flying
std::atomic<bool> any_modes{false};
std::atomic<uint64_t> epoch{1};
uint64_t writes;          // counted
uint64_t written_evicted; // the greatest `written` of lines that are here no more
Intervals modes;          // CacheMode
Ledger ledger;            // flights

uint64_t number_of(uint64_t address) { return address / line_bytes; }
char *pointer(uint64_t address) { return reinterpret_cast<char *>(address); }

// --- lines, under the lock -------------------------------------------------------------------------------------------

Line *set_of(uint64_t number) { return lines + (number * UINT64_C(0x9e3779b97f4a7c15) >> 20) % sets * ways; }

Line *find(uint64_t number) {
  Line *set = set_of(number);
  for (unsigned way = 0; way < ways; way++)
    if (set[way].number == number)
      return &set[way];
  return nullptr;
}

bool pinned(const Line &line) { return line.flights || line.again || line.dirty.any(); }

/// The line, perhaps a new one; null if nothing here can be given up.
Line *claim(uint64_t number) {
  if (Line *found = find(number))
    return found;
  Line *set = set_of(number), *victim = nullptr;
  for (unsigned i = 0; i < ways && (!victim || victim->number); i++) {
    Line *way = &set[(hand + i) % ways];
    if (!way->number || (!victim && !pinned(*way)))
      victim = way;
  }
  hand++;
  if (!victim)
    return nullptr;
  written_evicted = std::max(written_evicted, victim->written);
  const bool listed = victim->listed;
  Line *next = victim->next_dirty;
  memset(victim, 0, offsetof(Line, data));
  victim->number = number;
  victim->written = written_evicted; // perhaps it was here before
  victim->listed = listed;           // it leaves the list when that is looked through
  victim->next_dirty = next;
  return victim;
}

uint64_t written_of(uint64_t number) {
  const Line *line = find(number);
  return line ? line->written : written_evicted;
}

/// Whether all of a line's [from, to) can be read here.
bool readable(const Line *line, uint64_t from, uint64_t to, CacheMode mode) {
  if (!line)
    return false;
  Mask good = line->dirty;
  good.add(line->flying);
  if (mode == CacheMode::constant || line->epoch == epoch.load(std::memory_order_relaxed))
    good.add(line->have);
  return good.all(from, to);
}

/// The mode of all of [begin, end), or none.
CacheMode mode_of(uint64_t begin, uint64_t end) {
  const uint8_t mode = modes.at(begin);
  return mode && modes.all(begin, end, [mode](uint8_t other) { return other == mode; }) ? static_cast<CacheMode>(mode)
                                                                                        : CacheMode::none;
}

// --- flights ---------------------------------------------------------------------------------------------------------

/// A run of dirty bytes on its way to the owner; composed under the lock, sent without.
struct Flight {
  Flight *next;
  Line *line;
  uint64_t ledger_epoch;
  PutMessage *put;
};

void count_unsettled(bool before, bool after) {
  unsettled += static_cast<uint64_t>(after) - static_cast<uint64_t>(before);
}

/// Under the lock: what is dirty in a line without flights flies.
void launch(Line *line, uint64_t ledger_epoch, Flight *&flights) {
  for (uint64_t from = 0; from < line_bytes;) {
    if (!line->dirty.at(from)) {
      from++;
      continue;
    }
    uint64_t to = from + 1;
    while (to < line_bytes && line->dirty.at(to))
      to++;
    auto *put = message_new<PutMessage>(to - from);
    put->address = line->number * line_bytes + from;
    put->bytes = to - from;
    memcpy(put + 1, line->data + from, to - from);
    auto *flight = static_cast<Flight *>(message_memory(sizeof(Flight)));
    *flight = {flights, line, ledger_epoch, put};
    if (line->flights)
      ledger.join(ledger_epoch);
    flights = flight;
    line->flights++;
    from = to;
  }
  line->flying.add(line->dirty);
  line->dirty = {};
}

/// Under the lock: everything that is dirty flies, or will after what does.
void launch_all(Flight *&flights) {
  while (Line *line = dirty_lines) {
    dirty_lines = line->next_dirty;
    line->listed = false;
    if (!line->dirty.any())
      continue;
    if (!line->flights)
      launch(line, ledger.begin(), flights);
    else if (!line->again)
      line->again = ledger.begin();
  }
}

void landed(const Call &call, const ReplyMessage *reply, size_t data_bytes);

void send(Flight *flights) {
  while (Flight *flight = flights) {
    flights = flight->next;
    PutMessage *put = flight->put;
    const uint64_t address = put->address, bytes = put->bytes;
    const int owner = slice_owner(address);
    const uint64_t call = put->call = call_begin({landed, owner, nullptr, address, flight, bytes});
    link_send_plain(owner, put, bytes);
    call_sent(call);
  }
}

void landed(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *flight = static_cast<Flight *>(call.place);
  if (reply && reply->value)
    fatal("a write of %zu bytes to 0x%llx, kept back until now (skein_shared_cache), was refused by node %d: %.*s",
          call.place_bytes, static_cast<unsigned long long>(call.id), call.peer, static_cast<int>(data_bytes),
          reinterpret_cast<const char *>(reply + 1));
  Line *line = flight->line;
  Flight *flights = nullptr;
  {
    Guard guard(lock);
    if (--line->flights == 0) {
      if (line->epoch == epoch.load(std::memory_order_relaxed))
        line->have.add(line->flying);
      line->flying = {};
      line->written = ++writes; // a fetch that overtook these puts may be answered only now
      if (line->again) {
        const uint64_t ledger_epoch = line->again;
        line->again = 0;
        launch(line, ledger_epoch, flights);
      }
      count_unsettled(true, line->flights || line->dirty.any());
    }
  }
  send(flights);
  ledger.end(flight->ledger_epoch);
  free(flight);
}

/// Begin to send all that is dirty.
void release() {
  Flight *flights = nullptr;
  {
    Guard guard(lock);
    launch_all(flights);
  }
  send(flights);
}

// --- what leaves and arrives -----------------------------------------------------------------------------------------

struct Held {
  int to;
  MessageHeader *message;
  size_t bytes;
};

/// Of link_send: whether the message waits here for writes to arrive.
bool hold(int to, MessageHeader *message, size_t bytes) {
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

void acquire() {
  if (knobs.fault != Fault::invalidation)
    epoch.fetch_add(1, std::memory_order_relaxed); // before the handler that makes a thread ready
}

// --- reads -----------------------------------------------------------------------------------------------------------

/// A read that is under way, or, without a waiter, a prefetch.
struct Read {
  Thread *waiter;
  uint64_t to, from, left;
  CacheMode mode;
  uint64_t piece;         // of this read, at its front, that the fetch brings
  uint64_t begin;         // fetched from here
  uint64_t epoch, writes; // when it was asked for
  Mask kept;              // bytes of the first line that were taken from here at once
};

void step(Read *read);

/// Copy what a piece of a line has here, by `mask`.
void copy_masked(char *to, const Line &line, uint64_t from, uint64_t end, const Mask &mask) {
  for (uint64_t i = from; i < end; i++)
    if (mask.at(i))
      to[i - from] = line.data[i];
}

void fetched(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *read = static_cast<Read *>(call.place);
  if (!reply || reply->value || data_bytes != call.place_bytes) {
    const Read was = *read;
    free(read);
    char text[sizeof(Why::text)];
    if (reply)
      snprintf(text, sizeof text, "%.*s", static_cast<int>(data_bytes), reinterpret_cast<const char *>(reply + 1));
    else
      snprintf(text, sizeof text, "node %d died", call.peer);
    if (was.waiter)
      access_fails(was.waiter, "read", was.from, was.left, text);
    return;
  }
  const auto *data = reinterpret_cast<const char *>(reply + 1);
  {
    Guard guard(lock);
    for (uint64_t at = read->begin, end = read->begin + data_bytes; at < end;) {
      const uint64_t number = number_of(at), from = at % line_bytes;
      const uint64_t to = std::min(line_bytes, from + (end - at));
      if (written_of(number) <= read->writes)
        if (Line *line = claim(number); line && (read->mode == CacheMode::constant || line->epoch <= read->epoch)) {
          if (line->epoch != read->epoch && read->mode != CacheMode::constant) {
            line->have = {};
            line->epoch = read->epoch;
          }
          for (uint64_t i = from; i < to; i++)
            if (!line->dirty.at(i) && !line->flying.at(i)) {
              line->data[i] = data[at - read->begin + i - from];
              line->have.set(i, i + 1);
            }
        }
      at += to - from;
    }
  }
  // The reader's own bytes, whatever has become of the line since.
  const char *wanted = data + (read->from - read->begin);
  const uint64_t first = read->from % line_bytes;
  if (read->waiter && !read->kept.any())
    copy_words(pointer(read->to), wanted, read->piece);
  else if (read->waiter)
    for (uint64_t i = 0; i < read->piece; i++)
      if (first + i >= line_bytes || !read->kept.at(first + i))
        pointer(read->to)[i] = wanted[i];
  read->to += read->piece;
  read->from += read->piece;
  read->left -= read->piece;
  step(read);
}

/// Take what is here; ask for the next piece that is not. From here on `read` may be gone; true: all of it is done, and
/// nobody was blocked for it.
bool go_through(Read *read) {
  uint64_t end;
  {
    Guard guard(lock);
    while (read->left) {
      const uint64_t from = read->from % line_bytes, to = std::min(line_bytes, from + read->left);
      const Line *line = find(number_of(read->from));
      if (!readable(line, from, to, read->mode))
        break;
      if (read->waiter)
        copy_words(pointer(read->to), line->data + from, to - from);
      read->to += to - from;
      read->from += to - from;
      read->left -= to - from;
    }
    if (!read->left)
      return true;
    // From the begin of the line to the end of the last line that is wanted, as far as the range goes and nothing in
    // between is only here.
    const auto mode = static_cast<uint8_t>(read->mode);
    const auto same = [mode](uint8_t other) { return other == mode; };
    const uint64_t first = number_of(read->from) * line_bytes, wanted = read->from + read->left;
    read->begin = modes.all(first, read->from + 1, same) ? first : read->from;
    end = std::min((wanted + line_bytes - 1) / line_bytes * line_bytes, first + fetch_most);
    for (uint64_t at = first + line_bytes; at < end; at += line_bytes)
      if (const Line *line = find(number_of(at)); line && (line->dirty.any() || line->flying.any()))
        end = at;
    if (!modes.all(read->begin, end, same)) // the block ends in this line
      end = std::min(end, wanted);
    read->piece = std::min(end, wanted) - read->from;
    read->epoch = epoch.load(std::memory_order_relaxed);
    read->writes = writes;
    read->kept = {};
    if (const Line *line = find(number_of(read->from))) {
      read->kept.add(line->dirty);
      read->kept.add(line->flying);
      if (read->waiter)
        copy_masked(pointer(read->to), *line, read->from % line_bytes,
                    std::min(line_bytes, read->from % line_bytes + read->piece), read->kept);
    }
  }
  return false;
}

void ask(Read *read, uint64_t bytes) {
  const int owner = slice_owner(read->begin);
  const uint64_t begin = read->begin;
  auto *get = message_new<GetMessage>();
  get->address = begin;
  get->bytes = bytes;
  const uint64_t call = get->call = call_begin({fetched, owner, read->waiter, begin, read, bytes});
  link_send_plain(owner, get);
  call_sent(call);
}

/// How much is fetched: up to the end of the piece, and of its line where the range goes on.
uint64_t fetch_bytes(const Read &read) {
  const uint64_t end = read.from + read.piece, line_end = (end + line_bytes - 1) / line_bytes * line_bytes;
  Guard guard(lock);
  const auto mode = static_cast<uint8_t>(read.mode);
  return (modes.all(read.begin, line_end, [mode](uint8_t other) { return other == mode; }) ? line_end : end) -
         read.begin;
}

void step(Read *read) {
  Thread *waiter = read->waiter;
  if (!read->left || go_through(read)) {
    free(read);
    if (waiter)
      follow_wake(waiter, 0);
    return;
  }
  ask(read, fetch_bytes(*read));
}

// --- writes ----------------------------------------------------------------------------------------------------------

struct Write {
  Thread *waiter;
  uint64_t to, from, left;
  uint64_t piece; // of a write-through
};

/// Under the lock: into the lines, as far as there is room.
void write_back(Write &write) {
  while (write.left) {
    const uint64_t from = write.to % line_bytes, to = std::min(line_bytes, from + write.left);
    Line *line = claim(number_of(write.to));
    if (!line)
      return;
    const bool before = line->flights || line->dirty.any();
    copy_words(line->data + from, pointer(write.from), to - from);
    line->dirty.set(from, to);
    line->have.set(from, to, false);
    line->written = ++writes;
    count_unsettled(before, true);
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

/// Goes on when there is room again.
void go_on_writing(void *context) {
  auto *write = static_cast<Write *>(context);
  for (;;) {
    {
      Guard guard(lock);
      write_back(*write);
    }
    if (!write->left) {
      Thread *waiter = write->waiter;
      free(write);
      return thread_wake(waiter, 0);
    }
    release();
    if (!ledger.wait(go_on_writing, write))
      return;
  }
}

void written_through(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *write = static_cast<Write *>(call.place);
  const Write was = *write;
  free(write);
  if (!reply || reply->value) {
    char text[sizeof(Why::text)];
    if (reply)
      snprintf(text, sizeof text, "%.*s", static_cast<int>(data_bytes), reinterpret_cast<const char *>(reply + 1));
    else
      snprintf(text, sizeof text, "node %d died", call.peer);
    return access_fails(was.waiter, "wrote", was.to, was.left, text);
  }
  {
    Guard guard(lock);
    writes++;
    written_evicted = writes; // of lines that are not here
    for (uint64_t at = was.to, end = was.to + was.left; at < end;) {
      const uint64_t from = at % line_bytes, to = std::min(line_bytes, from + (end - at));
      if (Line *line = find(number_of(at))) {
        copy_words(line->data + from, pointer(was.from + (at - was.to)), to - from);
        line->written = writes;
      }
      at += to - from;
    }
  }
  follow_wake(was.waiter, 0);
}

} // namespace

bool cache_read(Thread *self, uint64_t to, uint64_t from, uint64_t bytes, Thread *&next) {
  Read read = {self, to, from, bytes, CacheMode::none, 0, 0, 0, 0, {}};
  {
    Guard guard(lock);
    read.mode = mode_of(from, from + bytes);
  }
  if (read.mode == CacheMode::none)
    return false;
  next = self;
  if (go_through(&read))
    return true;
  thread_block(self, "a read of shared memory", pointer(from));
  follow_count(self, slice_owner(from));
  auto *under_way = static_cast<Read *>(message_memory(sizeof(Read)));
  *under_way = read;
  ask(under_way, fetch_bytes(read));
  next = thread_next();
  return true;
}

bool cache_write(Thread *self, uint64_t to, uint64_t from, uint64_t bytes, Thread *&next) {
  Write write = {self, to, from, bytes, 0};
  CacheMode mode;
  {
    Guard guard(lock);
    mode = mode_of(to, to + bytes);
    if (mode == CacheMode::back)
      write_back(write);
  }
  if (mode == CacheMode::none)
    return false;
  next = self;
  if (mode == CacheMode::back && !write.left)
    return true;
  thread_block(self, "a write to shared memory", pointer(to));
  auto *under_way = static_cast<Write *>(message_memory(sizeof(Write)));
  *under_way = write;
  if (mode == CacheMode::back) {
    go_on_writing(under_way);
  } else {
    const int owner = slice_owner(to);
    follow_count(self, owner);
    auto *put = message_new<PutMessage>(bytes);
    put->address = to;
    put->bytes = bytes;
    memcpy(put + 1, pointer(from), bytes);
    const uint64_t call = put->call = call_begin({written_through, owner, self, to, under_way, 0});
    link_send_plain(owner, put, bytes);
    call_sent(call);
  }
  next = thread_next();
  return true;
}

bool cache_covers(uint64_t begin, uint64_t bytes) {
  if (!any_modes.load(std::memory_order_acquire)) // pairs with the store in cache_set
    return false;
  Guard guard(lock);
  return !modes.all(begin, begin + bytes, [](uint8_t mode) { return mode == 0; });
}

void cache_set(uint64_t begin, uint64_t bytes, CacheMode mode) {
  Guard guard(lock);
  modes.set(begin, begin + bytes, static_cast<uint8_t>(mode));
  any_modes.store(true, std::memory_order_release);
  if (slice_reachable(slice_owner(begin)))
    return; // no copies are needed
  if (!lines) {
    sets = std::max<uint64_t>(knobs.shared_cache / (sizeof(Line) * ways), 1);
    void *memory = mmap(nullptr, sets * ways * sizeof(Line), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      fatal("no memory for copies of shared memory (SKEIN_OPTIONS=shared_cache=)");
    lines = static_cast<Line *>(memory);
    link_hold = hold;
    link_entered = acquire;
    __atomic_store_n(&__skein_shared_caching, 1, __ATOMIC_RELEASE);
  }
  // What was had, or is being fetched, is not kept.
  written_evicted = ++writes;
  const uint64_t first = number_of(begin), last = number_of(begin + bytes - 1);
  const auto forget = [](Line &line) {
    line.have = {};
    line.written = writes;
  };
  if (last - first < sets * ways) {
    for (uint64_t number = first; number <= last; number++)
      if (Line *line = find(number))
        forget(*line);
  } else {
    for (Line *line = lines; line < lines + sets * ways; line++)
      if (line->number >= first && line->number <= last)
        forget(*line);
  }
}

bool cache_release(void (*done)(void *), void *context) {
  {
    Guard guard(lock);
    if (!unsettled || knobs.fault == Fault::flush)
      return true;
  }
  release();
  return ledger.wait(done, context);
}

void cache_acquire() { acquire(); }

extern "C" Thread *skein_shared_acquire_call(Thread *self) {
  acquire();
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
    if (lines)
      read.mode = mode_of(begin, begin + bytes);
  }
  if (read.mode == CacheMode::none || go_through(&read))
    return self;
  auto *under_way = static_cast<Read *>(message_memory(sizeof(Read)));
  *under_way = read;
  ask(under_way, fetch_bytes(read));
  return self;
}

} // namespace skein
