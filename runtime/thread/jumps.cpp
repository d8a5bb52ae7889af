// See jumps.h.
#include "thread/jumps.h"

#include "thread/thread.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace skein {

// --- the table -----------------------------------------------------------------------------------------------------

JumpTable *JumpTable::create(size_t capacity) {
  void *memory = std::malloc(sizeof(JumpTable) + capacity * sizeof(JumpContext));
  if (!memory)
    return nullptr;
  auto *table = new (memory) JumpTable();
  table->room = capacity;
  return table;
}

void JumpTable::destroy() { std::free(this); }

JumpContext JumpTable::get(size_t index) const {
  uint64_t plain[words];
  for (size_t i = 0; i < words; ++i)
    plain[i] = ~word(index)[i];
  JumpContext context;
  std::memcpy(&context, plain, sizeof context);
  return context;
}

void jumps_delete(Thread &thread) {
  if (thread.jumps)
    thread.jumps->destroy();
  thread.jumps = nullptr;
}

// --- keeping and finding -------------------------------------------------------------------------------------------

namespace {

constexpr size_t first_capacity = 8;

bool reserve(Thread &thread, size_t count) {
  JumpTable *old = thread.jumps;
  if (old && count <= old->capacity())
    return true;
  if (count > jumps_max)
    return false;
  JumpTable *table = JumpTable::create(old ? 2 * old->capacity() : first_capacity);
  if (!table)
    return false;
  if (old) {
    table->last_serial = old->last_serial;
    table->resize(old->count());
    for (size_t i = 0; i < old->count(); ++i)
      table->set(i, old->get(i));
    old->destroy();
  }
  thread.jumps = table;
  return true;
}

/// Drops half of the contexts [first, count), the older ones.
void forget_half(JumpTable &table, size_t first) {
  const size_t gone = (table.count() - first) / 2;
  for (size_t i = first; i + gone < table.count(); ++i)
    table.set(i, table.get(i + gone));
  table.resize(table.count() - gone);
}

} // namespace

bool jump_keep(Thread &thread, JumpContext &context) {
  if (!reserve(thread, 1))
    return false;
  context.owner = thread.id;
  JumpTable &table = *thread.jumps;
  auto on_stack = [&](uint64_t sp) { return thread.stack.contains(reinterpret_cast<const void *>(sp)); };
  // In a signal handler on a stack of its own it is not known which frames have been left.
  if (on_stack(context.sp))
    while (table.count() > 0) {
      const uint64_t last = table.sp(table.count() - 1);
      if (on_stack(last) && last >= context.sp)
        break;
      table.resize(table.count() - 1);
    }

  size_t at = table.count();
  while (at > 0 && table.sp(at - 1) == context.sp) {
    --at;
    if (table.is_for(at, context.buffer, context.return_address)) {
      context.serial = table.serial(at);
      table.set(at, context);
      return true;
    }
  }
  if (table.count() - at >= jumps_per_frame_max)
    forget_half(table, at);
  if (!reserve(thread, table.count() + 1))
    return false;
  JumpTable &grown = *thread.jumps;
  context.serial = ++grown.last_serial;
  grown.resize(grown.count() + 1);
  grown.set(grown.count() - 1, context);
  return true;
}

bool jump_find(const Thread &thread, uint64_t serial, JumpContext &context) {
  if (!thread.jumps)
    return false;
  size_t low = 0, high = thread.jumps->count(); // serials ascend
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const uint64_t found = thread.jumps->serial(middle);
    if (found == serial) {
      context = thread.jumps->get(middle);
      return true;
    }
    if (found < serial)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

// --- tokens --------------------------------------------------------------------------------------------------------

namespace {

constexpr uint64_t token_magic = 0x4a55; // "UJ"
constexpr uint64_t half = 0xffff;

uint64_t check_of(uint64_t thread, uint64_t serial) {
  uint64_t mixed = (thread * UINT64_C(0x9E3779B97F4A7C15)) ^ (serial * UINT64_C(0xD6E8FEB86659FD93));
  return mixed >> 48;
}

} // namespace

void token_write(JumpToken &to, uint64_t thread, uint64_t serial) {
  to[0] = token_magic;
  to[1] = serial & half;
  to[2] = serial >> 16 & half;
  to[3] = serial >> 32 & half;
  to[4] = check_of(thread, serial);
}

bool token_read(const JumpToken &from, uint64_t &serial) {
  if (from[0] != token_magic || from[1] > half || from[2] > half || from[3] > half || from[4] > half)
    return false;
  serial = from[1] | from[2] << 16 | from[3] << 32;
  return true;
}

bool token_made_by(const JumpToken &token, uint64_t thread) {
  uint64_t serial;
  return token_read(token, serial) && check_of(thread, serial) == token[4];
}

} // namespace skein
