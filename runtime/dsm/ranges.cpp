// Changes of ranges, as the leader and as every other node makes them; see ranges.h.
//
// A leader makes one change at a time. Two changes of the same pages must reach all nodes in the same order, and
// messages may overtake each other.
#include "dsm/ranges.h"
#include "base/lock.h"
#include "base/log.h"
#include "dsm/access.h"
#include "dsm/cache.h"
#include "dsm/intervals.h"
#include "dsm/slices.h"
#include "net/messages/calls.h"
#include "net/run/newcomers.h"
#include "sched/sched.h"

#include <skein/halfproc.h>
#include <skein/shared_array.h>
#include <skein/shared_cache.h>
#include <skein/skein.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace skein {

namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t tail_bytes = 64 << 10; // the end of a slice is never given out (abi/entry_points.h)
/// Values of both tables: what may be done there, or that the leader must not give the range out yet.
constexpr uint8_t open_bit = 0x80, closing_bit = 0x40;

unsigned long long number(uint64_t value) { return value; }
SpinLock lock{Rank::ranges};
Intervals arrays;                 // by offset in each slice
Intervals pages;                  // by address
bool protects[SKEIN_SLICE_COUNT]; // the slice is mapped here, its pages protected as the table says
bool frozen;                      // written and read in handlers

bool is_array(RangeChange what) { return what == RangeChange::array || what == RangeChange::array_close; }
bool closes(RangeChange what) { return what == RangeChange::array_close || what == RangeChange::unmap; }

void protect_here(uint64_t begin, uint64_t end, int protection) {
  if (mprotect(pointer_to(begin), end - begin, protection) != 0)
    fatal("cannot protect shared pages at 0x%llx: %s", number(begin), strerror(errno));
}

/// The handler of slice_mapped: called before the first access to a slice.
void on_mapped(int owner) {
  Guard guard(lock);
  const uint64_t begin = slice_begin(owner) + page_area, end = begin + page_area_bytes;
  protect_here(begin, end, PROT_NONE);
  pages.each([&](uint64_t from, uint64_t to, uint8_t value) {
    if (from >= begin && to <= end && value & open_bit)
      protect_here(from, to, value & ~open_bit);
  });
  protects[owner] = true;
}

/// Makes pages of a slice that this node keeps read as zeros.
void clear_here(uint64_t begin, uint64_t bytes) {
  if (!slice_clear(begin, bytes))
    fatal("cannot give shared pages back at 0x%llx: %s", number(begin), strerror(errno));
}

/// Makes the change that the leader has sent.
void apply(RangeChange what, uint64_t begin, uint64_t bytes, int protection, bool leader) {
  if (what == RangeChange::cache)
    return cache_set(begin, bytes, static_cast<CacheMode>(protection));
  const uint8_t closed = leader ? closing_bit : 0;
  if (is_array(what)) {
    if (what == RangeChange::array) {
      slice_map(node.self);
      Guard guard(lock);
      return arrays.set(begin, begin + bytes, open_bit | PROT_READ | PROT_WRITE);
    }
    {
      Guard guard(lock);
      arrays.set(begin, begin + bytes, closed);
    }
    for (int owner = 0; owner < node.count; owner++)
      if (slice_kept(owner)) // or will look at the table: ranges_adopt
        clear_here(slice_begin(owner) + begin, bytes);
    return;
  }
  const int owner = slice_owner(begin);
  if (slice_kept(owner))
    slice_map(owner);
  if (what == RangeChange::map)
    protection = PROT_READ | PROT_WRITE;
  if (closes(what))
    protection = PROT_NONE;
  {
    Guard guard(lock);
    pages.set(begin, begin + bytes, closes(what) ? closed : static_cast<uint8_t>(open_bit | protection));
    if (protects[owner])
      protect_here(begin, begin + bytes, protection);
  }
  if (closes(what) && slice_kept(owner))
    clear_here(begin, bytes);
}

// --- the leader's side -----------------------------------------------------------------------------------------------

struct Change {
  Change *next;
  RangeChange what;
  uint64_t begin, bytes, detail, key;
  int from;
  uint64_t call;
  std::atomic<int> left; // how many nodes have not made it yet
  int newcomer;          // -1, or it is no change, but this node is to be told of all ranges
  void (*informed)(int); // then to be called
  int step;              // of that
};

SpinLock queue_lock{Rank::dsm};
Change *first_change; // the one that is under way; the others wait behind it
Change **last_change = &first_change;
Change *collectives;           // made, but not told to all parties yet; `left` says how many are missing
std::atomic<int> informing{0}; // newcomers that are being told, or wait for that
bool tells[nodes_max];         // which nodes this one tells of changes. Written between two changes

void begin_change(Change *change);
void tell_newcomer(Change *change);

/// Takes the change that is under way, and has been made, off the queue. Returns the next one.
Change *take_off(Change *change, bool keep) {
  Guard guard(queue_lock);
  first_change = change->next;
  Change *next = first_change;
  if (!next)
    last_change = &first_change;
  if (keep) {
    change->left.store(static_cast<int>(change->detail) - 1, std::memory_order_relaxed);
    change->next = collectives;
    collectives = change;
  }
  return next;
}

/// The change has been made, or cannot be made for the reason `why`. Answers it, and begins the next one.
void conclude(Change *change, int code, const char *why) {
  if (code)
    call_reply(change->from, change->call, static_cast<uint64_t>(code), why, strlen(why));
  const uint64_t address = change->begin + (is_array(change->what) ? SKEIN_SHARED_BASE : 0);
  if (!code)
    call_reply(change->from, change->call, SKEIN_OK, &address, sizeof address);
  const bool keep = !code && change->what == RangeChange::array && change->detail > 1;
  Change *next = take_off(change, keep);
  if (!keep)
    free(change);
  if (next)
    begin_change(next);
}

void part_done(Change *change) {
  if (change->left.fetch_sub(1, std::memory_order_acq_rel) != 1) // the last one sees what all have done
    return;
  if (change->newcomer >= 0)
    return tell_newcomer(change);
  if (closes(change->what)) {
    Guard guard(lock);
    (is_array(change->what) ? arrays : pages).set(change->begin, change->begin + change->bytes, 0);
  }
  conclude(change, SKEIN_OK, nullptr);
}

void finish_part(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  if (reply && (reply->value || data_bytes))
    call_distrust(call, "it says that a change of a range was not made");
  part_done(static_cast<Change *>(call.place));
}

void tell_change(Change *change, int peer, RangeChange what, uint64_t begin, uint64_t bytes, uint64_t detail) {
  const uint64_t call = call_begin({finish_part, peer, nullptr, 0, change, 0});
  link_tell<RangeMessage>(peer, call, static_cast<uint64_t>(what), begin, bytes, detail);
  call_sent(call);
}

/// Finds room for a new range, or checks that an old one exists. Null, or the reason why not.
const char *prepare(Change *change) {
  if (change->what == RangeChange::cache) {
    static Why why; // one change at a time
    return change->bytes && access_allowed(change->begin, change->bytes, false, why) ? nullptr : why.text;
  }
  Guard guard(lock);
  if (change->what == RangeChange::array || change->what == RangeChange::map) {
    const bool array = change->what == RangeChange::array;
    const uint64_t from = array ? common_area : slice_begin(node.self) + page_area;
    const uint64_t to = from + (array ? common_area_bytes : page_area_bytes - tail_bytes);
    Intervals &table = array ? arrays : pages;
    if (change->bytes > to - from)
      return "there is no room for it";
    change->begin = table.find_free(from, to, change->bytes, page);
    if (change->begin == to)
      return "there is no room for it";
    table.set(change->begin, change->begin + change->bytes, closing_bit);
    return nullptr;
  }
  const uint64_t end = change->begin + change->bytes;
  if (closes(change->what))
    for (int owner = 0; owner < (is_array(change->what) ? node.count : 1); owner++)
      if (cache_covers(is_array(change->what) ? slice_begin(owner) + change->begin : change->begin, change->bytes))
        return "some of it is cached (skein_shared_cache)";
  const auto open = [](uint8_t value) { return (value & open_bit) != 0; };
  if (change->what == RangeChange::array_close) {
    // There is a free page on both sides of an array.
    if (change->begin < common_area || end > page_area || end < change->begin ||
        !arrays.all(change->begin, end, open) || arrays.at(change->begin - 1) || arrays.at(end))
      return "that is no array, or it has been freed before";
    return nullptr;
  }
  if (change->begin % page || change->bytes % page || !change->bytes || end < change->begin ||
      !slice_kept(slice_owner(change->begin)) || !pages.all(change->begin, end, open))
    return "not all of these pages are mapped";
  return nullptr;
}

/// Whether a collective change has been made already, for another party. If so, `change` is answered.
bool join_collective(Change *change) {
  Change *found = nullptr;
  bool same = false;
  {
    Guard guard(queue_lock);
    for (Change **at = &collectives; *at; at = &(*at)->next)
      if ((*at)->key == change->key) {
        found = *at;
        same = found->bytes == change->bytes && found->detail == change->detail;
        change->begin = found->begin;
        if (same && found->left.fetch_sub(1, std::memory_order_relaxed) == 1)
          *at = found->next;
        else
          found = nullptr;
        break;
      }
  }
  if (!same && !change->begin)
    return false;
  free(found);
  change->detail = 1;
  conclude(change, same ? SKEIN_OK : SKEIN_EREFUSED, "the parties of the collective ask for different arrays");
  return true;
}

/// A range that a newcomer has to know.
struct Told {
  RangeChange what;
  uint64_t begin, bytes;
  uint64_t detail;
};

/// Calls function(Told) for each range that this node leads: all arrays on node 0, the pages of the slices that it
/// keeps, and how their memory is cached; or, with `protections`, for the pages that may not be read and written.
template <class Function> void each_led(bool protections, Function function) {
  {
    Guard guard(lock);
    if (node.self == 0 && !protections)
      arrays.each([&](uint64_t from, uint64_t to, uint8_t value) {
        if (value & open_bit)
          function(Told{RangeChange::array, from, to - from, 0});
      });
    pages.each([&](uint64_t from, uint64_t to, uint8_t value) {
      const auto protection = static_cast<uint64_t>(value & ~open_bit);
      if (!(value & open_bit) || !slice_kept(slice_owner(from)))
        return;
      if (!protections)
        function(Told{RangeChange::map, from, to - from, 0});
      else if (protection != (PROT_READ | PROT_WRITE))
        function(Told{RangeChange::protect, from, to - from, protection});
    });
  }
  if (!protections)
    cache_each(
        [](void *context, uint64_t from, uint64_t to, CacheMode mode) {
          if (slice_kept(slice_owner(from)))
            (*static_cast<Function *>(context))(Told{RangeChange::cache, from, to - from, static_cast<uint64_t>(mode)});
        },
        &function);
}

/// Between two changes: sends a newcomer all ranges that this node leads, waits until it has them, and then sends the
/// protections of pages. The tables do not change meanwhile.
void tell_newcomer(Change *change) {
  const int step = change->step++; // 0: the ranges, 1: the protections, 2: it has both
  if (step == 2) {
    tells[change->newcomer] = true;
    change->informed(change->newcomer);
    Change *next = take_off(change, false);
    free(change);
    informing.fetch_sub(1, std::memory_order_release);
    if (next)
      begin_change(next);
    return;
  }
  size_t count = 0, kept = 0;
  each_led(step == 1, [&](Told) { count++; });
  auto *all = static_cast<Told *>(message_memory((count + 1) * sizeof(Told)));
  each_led(step == 1, [&](Told told) {
    if (kept < count)
      all[kept++] = told;
  });
  change->left.store(static_cast<int>(kept) + 1, std::memory_order_relaxed);
  for (size_t i = 0; i < kept; i++)
    tell_change(change, change->newcomer, all[i].what, all[i].begin, all[i].bytes, all[i].detail);
  free(all);
  part_done(change);
}

void begin_change(Change *change) {
  if (change->newcomer >= 0)
    return tell_newcomer(change);
  if (change->what == RangeChange::array && change->detail > 1 && join_collective(change))
    return;
  if (const char *why = prepare(change)) {
    const bool room = change->what == RangeChange::array || change->what == RangeChange::map;
    return conclude(change, room ? SKEIN_EMEMORY : SKEIN_EPOINTER, why);
  }
  const RangeChange what = change->what;
  const uint64_t begin = change->begin, bytes = change->bytes, detail = change->detail;
  const auto told = [](int peer) { return peer != node.self && tells[peer]; };
  int parts = 1;
  for (int peer = 0; peer < node.count; peer++)
    parts += told(peer);
  change->left.store(parts, std::memory_order_relaxed);
  for (int peer = 0; peer < node.count; peer++)
    if (told(peer))
      tell_change(change, peer, what, begin, bytes, detail);
  apply(what, begin, bytes, static_cast<int>(detail), true);
  part_done(change);
}

/// Puts a change into the queue, and begins it if none is under way.
void enqueue(Change *change) {
  change->next = nullptr;
  bool alone;
  {
    Guard guard(queue_lock);
    alone = !first_change;
    *last_change = change;
    last_change = &change->next;
  }
  if (alone)
    begin_change(change);
}

void inform(int newcomer, void (*done)(int newcomer)) {
  auto *change = static_cast<Change *>(message_memory(sizeof(Change)));
  change->newcomer = newcomer;
  change->informed = done;
  change->step = 0;
  informing.fetch_add(1, std::memory_order_relaxed);
  enqueue(change);
}

void lead(int from, uint64_t call, RangeChange what, uint64_t begin, uint64_t bytes, uint64_t detail, uint64_t key) {
  auto *change = static_cast<Change *>(message_memory(sizeof(Change)));
  change->newcomer = -1;
  change->what = what;
  change->begin = begin;
  change->bytes = bytes;
  change->detail = detail;
  change->key = key;
  change->from = from;
  change->call = call;
  enqueue(change);
}

void on_change(Arrival &arrival) {
  const auto &ask = arrival.body<ChangeMessage>();
  lead(arrival.from, ask.call, static_cast<RangeChange>(ask.what), ask.begin, ask.bytes, ask.detail, ask.key);
}

/// Whether the tables are in the state in which the leader may make this change. It makes one change at a time, and
/// waits for all nodes, so anything else is an error of the peer.
bool fits(RangeChange what, uint64_t begin, uint64_t bytes) {
  const bool makes = what == RangeChange::array || what == RangeChange::map;
  Guard guard(lock);
  return what == RangeChange::cache || (is_array(what) ? arrays : pages).all(begin, begin + bytes, [&](uint8_t value) {
    return makes ? value == 0 : (value & open_bit) != 0;
  });
}

void on_range(Arrival &arrival) {
  const auto &range = arrival.body<RangeMessage>();
  if (frozen)
    return; // the call ends when this node has left
  if (!fits(static_cast<RangeChange>(range.what), range.begin, range.bytes))
    return link_reject(arrival.from, MessageType::range, "change %llu of 0x%llx bytes at 0x%llx, which are not so here",
                       number(range.what), number(range.bytes), number(range.begin));
  apply(static_cast<RangeChange>(range.what), range.begin, range.bytes, static_cast<int>(range.protection), false);
  call_reply(arrival.from, range.call, SKEIN_OK);
}

// --- calls of programs -----------------------------------------------------------------------------------------------

void finish_change(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  uint64_t begin = 0;
  reply = call_checked(call, reply, data_bytes, sizeof begin);
  if (reply && !reply->value)
    memcpy(&begin, reply + 1, sizeof begin);
  if (reply && !reply->value && slice_owner(begin) < 0)
    reply = call_distrust(call, "0x%llx is no shared memory of this run", number(begin));
  if (!reply)
    begin = 0;
  if (begin && call.place) // on the stack of the waiter, which is blocked, or in a word of its node
    memcpy(call.place, &begin, sizeof begin);
  if (begin)
    return thread_wake(call.waiter, call.id ? begin : SKEIN_OK); // skein_shared_map returns the address
  const char *function = call.waiter->wait.reason;
  const int code = reply ? static_cast<int>(reply->value) : SKEIN_EDEAD;
  if (reply)
    thread_error(call.waiter, code, "%s: %.*s", function, static_cast<int>(data_bytes),
                 reinterpret_cast<const char *>(reply + 1));
  else
    thread_error(call.waiter, code, "%s: node %d died", function, call.peer);
  thread_wake(call.waiter, call.id ? 0 : static_cast<uint64_t>(code));
}

Thread *ask(Thread *self, int leader, const char *function, RangeChange what, uint64_t begin, uint64_t bytes,
            uint64_t detail, uint64_t key, uint64_t *place, bool returns_address) {
  thread_block(self, function, nullptr);
  const uint64_t call = call_begin(kept({finish_change, leader, self, returns_address, place, 0}));
  if (slice_kept(leader)) {
    lead(node.self, call, what, begin, bytes, detail, key);
  } else {
    link_tell<ChangeMessage>(leader, call, static_cast<uint64_t>(what), begin, bytes, detail, key);
    call_sent(call);
  }
  return thread_next();
}

extern "C" Thread *skein_array_open_call(Thread *self, uint64_t array_word, uint64_t key, uint64_t parties) {
  thread_error_clear(self);
  auto &array = *reinterpret_cast<skein_array_t *>(array_word);
  array.nodes = static_cast<uint64_t>(nodes_taken());
  if (!array.block)
    array.block = (array.count + array.nodes - 1) / array.nodes;
  if (!array.block)
    array.block = 1;
  const uint64_t blocks = array.count / array.block + (array.count % array.block != 0);
  uint64_t bytes = (blocks + array.nodes - 1) / array.nodes;
  if (!bytes)
    bytes = 1;
  if (!array.bytes || !parties || __builtin_mul_overflow(bytes, array.block, &bytes) ||
      __builtin_mul_overflow(bytes, array.bytes, &bytes) || bytes > common_area_bytes)
    return answer(self, thread_error(self, SKEIN_EMEMORY,
                                     "skein_array_create: no node has room for its part of %llu elements of %llu bytes",
                                     number(array.count), number(array.bytes)));
  bytes = (bytes + page - 1) / page * page;
  array.begin = 0;
  return ask(self, 0, "skein_array_create", RangeChange::array, 0, bytes, parties, key, &array.begin, false);
}

extern "C" Thread *skein_array_free_call(Thread *self, uint64_t array_word) {
  thread_error_clear(self);
  const auto &array = *reinterpret_cast<const skein_array_t *>(array_word);
  const uint64_t blocks = array.block ? array.count / array.block + (array.count % array.block != 0) : 0;
  uint64_t bytes = array.nodes ? (blocks + array.nodes - 1) / array.nodes * array.block * array.bytes : 0;
  bytes = ((bytes ? bytes : 1) + page - 1) / page * page;
  return ask(self, 0, "skein_array_free", RangeChange::array_close, array.begin - SKEIN_SHARED_BASE, bytes, 0, 0,
             nullptr, false);
}

extern "C" Thread *skein_shared_map_call(Thread *self, uint64_t bytes) {
  thread_error_clear(self);
  self->result = 0;
  if (!bytes || bytes > page_area_bytes) {
    thread_error(self, SKEIN_EMEMORY, "skein_shared_map: there is no room for %llu bytes", number(bytes));
    return self;
  }
  return ask(self, node.self, "skein_shared_map", RangeChange::map, 0, (bytes + page - 1) / page * page, 0, 0, nullptr,
             true);
}

Thread *change_pages(Thread *self, const char *function, RangeChange what, uint64_t begin, uint64_t bytes,
                     uint64_t protection) {
  thread_error_clear(self);
  const int owner = slice_owner(begin);
  if (owner < 0 || (protection & ~static_cast<uint64_t>(PROT_READ | PROT_WRITE)))
    return answer(self, thread_error(self, SKEIN_EPOINTER, "%s: %s", function,
                                     owner < 0 ? "that is no shared memory of this run"
                                               : "a protection is PROT_NONE, PROT_READ, or PROT_READ | PROT_WRITE"));
  return ask(self, owner, function, what, begin, bytes, protection, 0, nullptr, false);
}

extern "C" Thread *skein_shared_unmap_call(Thread *self, uint64_t begin, uint64_t bytes) {
  return change_pages(self, "skein_shared_unmap", RangeChange::unmap, begin, bytes, PROT_NONE);
}

extern "C" Thread *skein_shared_protect_call(Thread *self, uint64_t begin, uint64_t bytes, uint64_t protection) {
  return change_pages(self, "skein_shared_protect", RangeChange::protect, begin, bytes,
                      static_cast<uint32_t>(protection));
}

extern "C" Thread *skein_shared_cache_call(Thread *self, uint64_t begin, uint64_t bytes, uint64_t mode) {
  thread_error_clear(self);
  const int owner = slice_owner(begin);
  if (owner < 0 || static_cast<uint32_t>(mode) > SKEIN_CACHE_BACK)
    return answer(self, thread_error(self, SKEIN_EPOINTER, "skein_shared_cache: %s",
                                     owner < 0 ? "that is no shared memory of this run" : "there is no such mode"));
  return ask(self, owner, "skein_shared_cache", RangeChange::cache, begin, bytes, static_cast<uint32_t>(mode), 0,
             nullptr, false);
}

} // namespace

bool range_allows(uint64_t address, uint64_t bytes, bool write, Why &why) {
  const uint64_t offset = address - slice_begin(slice_owner(address));
  const bool array = offset < page_area;
  const uint64_t begin = array ? offset : address;
  const uint8_t wanted = open_bit | (write ? PROT_WRITE : PROT_READ);
  Guard guard(lock);
  if ((array ? arrays : pages).all(begin, begin + bytes, [&](uint8_t value) { return (value & wanted) == wanted; }))
    return true;
  const bool closed = !((array ? arrays : pages).at(begin) & open_bit);
  snprintf(why.text, sizeof why.text, "%s",
           array    ? "no array is there, or it ends before that, or has been freed"
           : closed ? "no pages are mapped there"
                    : "the pages are protected (skein_shared_protect), or end before that");
  return false;
}

bool ranges_inform() { return informing.load(std::memory_order_acquire) != 0; }

bool ranges_change() {
  Guard guard(queue_lock);
  return first_change != nullptr;
}

bool ranges_open(uint64_t from, uint64_t &begin, uint64_t &end) {
  const uint64_t slice = slice_begin(node.self);
  bool found = false;
  Guard guard(lock);
  const auto look = [&](uint64_t first, uint64_t last, uint8_t value) {
    if (found || !(value & open_bit) || last <= from || slice_owner(first) != node.self)
      return;
    found = true;
    begin = first;
    end = last;
  };
  arrays.each([&](uint64_t first, uint64_t last, uint8_t value) { look(slice + first, slice + last, value); });
  pages.each(look); // behind the arrays
  return found;
}

void ranges_freeze() {
  if (frozen)
    return;
  frozen = true;
  if (!slice_is_mapped(node.self))
    return;
  Guard guard(lock);
  pages.each([](uint64_t begin, uint64_t end, uint8_t value) {
    if (value & open_bit && !(value & PROT_READ) && slice_owner(begin) == node.self)
      protect_here(begin, end, PROT_READ);
  });
}

void ranges_adopt(int owner) {
  Guard guard(lock); // part_done needs it before such a range can be given out again
  arrays.each([&](uint64_t begin, uint64_t end, uint8_t value) {
    if (!(value & open_bit)) // at most one: the leader makes one change at a time
      clear_here(slice_begin(owner) + begin, end - begin);
  });
}

void ranges_start() {
  for (int peer = 0; peer < nodes_taken(); peer++)
    tells[peer] = true;
  inform_of_ranges = inform;
  slice_mapped = on_mapped;
  link_handle<ChangeMessage>(on_change);
  link_handle<RangeMessage>(on_range);
}

} // namespace skein
