// The records of channels of this node, and their handles; see channel.h.
#include "base/knobs.h"
#include "base/node.h"
#include "channels/channel.h"

#include <cstdlib>
#include <new>

namespace skein {

namespace {

// The number in a handle: which record, and how often that was used before.
constexpr unsigned index_bits = 24;
constexpr uint64_t uses_most = UINT64_C(1) << (id_node_shift - index_bits);
constexpr uint64_t per_block = 256, blocks_most = (UINT64_C(1) << index_bits) / per_block;

SpinLock lock{Rank::leaf};
Channel *blocks[blocks_most];
std::atomic<uint64_t> records{0};
Channel *first_free;

Channel *record(uint64_t index) {
  Channel *block = index < records.load(std::memory_order_acquire) ? blocks[index / per_block] : nullptr;
  return block ? block + index % per_block : nullptr;
}

/// A record that nobody uses; null without memory.
Channel *take_record() {
  Guard guard(lock);
  if (Channel *free = first_free) {
    first_free = free->next_free;
    return free;
  }
  const uint64_t index = records.load(std::memory_order_relaxed), block = index / per_block;
  if (block == blocks_most)
    return nullptr;
  if (!blocks[block]) {
    void *memory = malloc(per_block * sizeof(Channel));
    if (!memory)
      return nullptr;
    blocks[block] = static_cast<Channel *>(memory);
    for (uint64_t i = 0; i < per_block; i++)
      new (blocks[block] + i) Channel();
  }
  Channel *fresh = blocks[block] + index % per_block;
  fresh->number = index;
  records.store(index + 1, std::memory_order_release);
  return fresh;
}

} // namespace

uint64_t channel_new(size_t capacity, uint64_t former, uint32_t patience) {
  Channel *channel = take_record();
  if (!channel)
    return 0;
  Guard guard(lock_of(*channel));
  channel->capacity = capacity;
  channel->former = former;
  channel->usage = {.patience = patience};
  channel->handle =
      static_cast<uint64_t>(node.self) << id_node_shift | channel->used << index_bits | (channel->number + 1);
  return channel->handle;
}

uint64_t channel_new(size_t capacity) {
  return channel_new(capacity, 0, static_cast<uint32_t>(node.count > 1 ? knobs.channel_patience : 0));
}

Channel *channel_record(uint64_t handle) {
  const uint64_t number = handle & ((UINT64_C(1) << index_bits) - 1);
  return number && home_of(handle) == node.self ? record(number - 1) : nullptr;
}

Channel *channel_at(uint64_t index) { return record(index); }

void channel_each(void (*function)(Channel &channel, int argument), int argument) {
  for (uint64_t i = 0; Channel *channel = record(i); i++)
    function(*channel, argument);
}

// A record whose handles are used up is left alone.
void channel_forget(Channel &channel) {
  channel.closed = false;
  channel.capacity = 0;
  if (++channel.used == uses_most)
    return;
  Guard guard(lock);
  channel.next_free = first_free;
  first_free = &channel;
}

void records_after_fork() { new (&lock) SpinLock(Rank::leaf); }

} // namespace skein
