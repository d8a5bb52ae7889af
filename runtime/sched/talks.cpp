// Who talks to whom; see talks.h.
#include "sched/talks.h"
#include "abi/channel_calls.h"
#include "base/lock.h"
#include "sched/sched.h"

#include <skein/policy.h>

#include <algorithm>
#include <cstdlib>
#include <new>

uint32_t __skein_talks_counted = 0;

namespace skein {

namespace {

constexpr size_t parts_count = 64, part_slots = 256, probes = 16;

struct Slot {
  uint64_t thread, channel, bytes, messages; // thread 0: it is free
};
struct Part {
  SpinLock lock{Rank::leaf};
  uint32_t used;
  Slot slots[part_slots];
};
std::atomic<Part *> parts{nullptr};

uint64_t mixed(uint64_t thread, uint64_t channel) {
  const uint64_t once = (thread ^ channel * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
  return (once ^ once >> 29) * UINT64_C(0x94d049bb133111eb);
}

Part *begin() {
  auto *all = static_cast<Part *>(calloc(parts_count, sizeof(Part)));
  if (!all)
    return nullptr;
  for (size_t i = 0; i < parts_count; i++)
    new (&all[i].lock) SpinLock(Rank::leaf);
  parts.store(all, std::memory_order_release); // pairs with the acquire in __skein_talk
  __atomic_store_n(&__skein_talks_counted, 1, __ATOMIC_RELAXED);
  return all;
}

} // namespace

size_t talks_take(skein_policy_talk *to, size_t most) {
  Part *all = parts.load(std::memory_order_relaxed);
  if (!all && !(all = begin()))
    return 0; // without memory nobody is seen to talk
  size_t count = 0;
  for (size_t i = 0; i < parts_count; i++) {
    Part &part = all[i];
    Guard guard(part.lock);
    for (size_t at = 0; at < part_slots && part.used && count < most; at++)
      if (Slot &slot = part.slots[at]; slot.thread) {
        to[count++] = {slot.thread, slot.channel, slot.bytes, static_cast<uint32_t>(slot.messages), 0};
        slot = {};
        part.used--;
      }
  }
  return count;
}

void talks_after_fork() {
  if (Part *all = parts.load(std::memory_order_relaxed))
    for (size_t i = 0; i < parts_count; i++)
      new (&all[i].lock) SpinLock(Rank::leaf);
}

} // namespace skein

extern "C" void __skein_talk(uint64_t channel, uint64_t bytes) {
  using namespace skein;
  const Thread *self = thread_current();
  Part *all = parts.load(std::memory_order_acquire); // pairs with the release in begin
  if (!self || !all)
    return;
  const uint64_t hash = mixed(self->id, channel);
  Part &part = all[hash % parts_count];
  Guard guard(part.lock);
  for (size_t i = 0; i < probes; i++) {
    Slot &slot = part.slots[(hash / parts_count + i) % part_slots];
    if (!slot.thread) {
      slot = {self->id, channel, 0, 0};
      part.used++;
    } else if (slot.thread != self->id || slot.channel != channel) {
      continue;
    }
    slot.messages++;
    slot.bytes += bytes;
    return;
  }
}
