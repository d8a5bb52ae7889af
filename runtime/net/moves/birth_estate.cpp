// What a node that leaves the run has kept of threads that were born there goes to its heir; see net/run/leaving.h.
//
// A thread that the heir inherits has a record in its table wherever it lives, also on the heir itself. There it ends
// and departs as one that was born elsewhere: the news of it come to the handlers of births.cpp by way of the link.
#include "base/log.h"
#include "net/moves/birth_records.h"
#include "net/run/leaving.h"

#include <algorithm>
#include <cstdlib>

namespace skein {

namespace {

/// An entry of a piece of the estate.
enum class Inherited : uint64_t { away, watch, debt, result, last = result };
struct InheritedEntry {
  uint64_t what; // Inherited
  uint64_t thread;
  uint64_t first;  // away: the node where it is; watch, debt: whose call it is; result: its value
  uint64_t second; // away: moves, and the bits below; watch, debt: the call; result: its WireResultKind
};
constexpr uint64_t detached_bit = UINT64_C(1) << 16, cancelled_bit = UINT64_C(1) << 17;

struct Inventory {
  InheritedEntry *entries;
  size_t count, room;
  void add(Inherited what, uint64_t thread, uint64_t first, uint64_t second) {
    if (count == room) {
      room = room ? 2 * room : 1024;
      entries = static_cast<InheritedEntry *>(realloc(entries, room * sizeof *entries));
      if (!entries)
        fatal("out of memory for the records of %zu threads", count);
    }
    entries[count++] = {static_cast<uint64_t>(what), thread, first, second};
  }
};
Inventory inventory; // of this node, which leaves

void take_inventory() {
  {
    Guard guard(births_lock);
    away.each([](uint64_t id, const Away &record) {
      inventory.add(Inherited::away, id, static_cast<uint64_t>(record.node),
                    record.moves | (record.detached ? detached_bit : 0) | (record.cancelled ? cancelled_bit : 0));
    });
    for (const Watch *watch = watches; watch; watch = watch->next)
      inventory.add(Inherited::watch, watch->thread, static_cast<uint64_t>(watch->from), watch->call);
    debts.each([](uint64_t id, const Debt &debt) {
      inventory.add(Inherited::debt, id, static_cast<uint64_t>(debt.from), debt.call);
    });
  }
  join_each_kept([](uint64_t id, const Result &result) {
    const WireResult out = result_out(result, false);
    inventory.add(Inherited::result, id, out.value, out.kind);
  });
}

bool next_of_estate(uint64_t &cursor) {
  if (cursor == 0)
    take_inventory();
  const size_t most = estate_most / sizeof(InheritedEntry), left = inventory.count - cursor;
  if (!left) {
    free(inventory.entries);
    inventory = {};
    return false;
  }
  const size_t count = std::min(left, most);
  estate_send(EstateKind::threads, inventory.entries + cursor, count * sizeof(InheritedEntry));
  cursor += count;
  return true;
}

bool check_estate(int from, const void *data, size_t bytes, Complaint &wrong) {
  const auto *entries = static_cast<const InheritedEntry *>(data);
  if (bytes % sizeof *entries)
    return wrong.say("%zu bytes are no records of threads", bytes);
  for (size_t i = 0; i < bytes / sizeof *entries; i++) {
    const InheritedEntry &entry = entries[i];
    const auto what = static_cast<Inherited>(entry.what);
    if (entry.what > static_cast<uint64_t>(Inherited::last) || thread_id_number(entry.thread) == 0 ||
        (thread_id_node(entry.thread) != from && what != Inherited::debt))
      return wrong.say("a record of kind %llu of a thread of node %d", static_cast<unsigned long long>(entry.what),
                       thread_id_node(entry.thread));
    if (what == Inherited::result ? entry.second > static_cast<uint64_t>(WireResultKind::image)
                                  : entry.first >= static_cast<uint64_t>(node.count))
      return wrong.say("a record of a thread with the words 0x%llx and 0x%llx",
                       static_cast<unsigned long long>(entry.first), static_cast<unsigned long long>(entry.second));
  }
  return true;
}

void take_estate(int, const void *data, size_t bytes) {
  const auto *entries = static_cast<const InheritedEntry *>(data);
  for (size_t i = 0; i < bytes / sizeof *entries; i++) {
    const auto &[what, thread, first, second] = entries[i];
    if (what == static_cast<uint64_t>(Inherited::result)) {
      join_keep(thread, result_in({first, static_cast<uint32_t>(second), 0}));
      continue;
    }
    Guard guard(births_lock);
    if (what == static_cast<uint64_t>(Inherited::away)) {
      away[thread] = {static_cast<int32_t>(first), static_cast<uint16_t>(second), (second & detached_bit) != 0,
                      (second & cancelled_bit) != 0};
    } else if (what == static_cast<uint64_t>(Inherited::watch)) {
      auto *watch = static_cast<Watch *>(message_memory(sizeof(Watch)));
      *watch = {thread, second, static_cast<int>(first), watches};
      watches = watch;
      watch_count.fetch_add(1, std::memory_order_seq_cst);
    } else {
      debts[thread] = {static_cast<int>(first), second};
      debt_count.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

EstatePart estate = {EstateKind::threads, false, next_of_estate, check_estate, take_estate, nullptr};

} // namespace

void birth_estate_start() { estate_add(estate); }

} // namespace skein
