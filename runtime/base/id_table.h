// A hash table from 64-bit ids (never 0) to small plain values: open addressing, linear probing, deletion by shifting
// back, so that it never fills with tombstones. It grows, and never shrinks. It is not thread-safe: the owner's lock
// guards it.
#ifndef SKEIN_BASE_ID_TABLE_H
#define SKEIN_BASE_ID_TABLE_H

#include "base/assert.h"
#include "base/log.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace skein {

template <class Value> class IdTable {
  static_assert(std::is_trivially_copyable_v<Value>);

public:
  IdTable() = default;
  IdTable(const IdTable &) = delete;

  size_t size() const { return used_; }

  /// Null if the id is not there. 0 is no id, but may be asked for, and is never there.
  Value *find(uint64_t id) {
    if (!used_ || !id)
      return nullptr;
    for (size_t at = home(id);; at = (at + 1) & mask_) {
      if (slots_[at].id == id)
        return &slots_[at].value;
      if (!slots_[at].id)
        return nullptr;
    }
  }

  /// Whether another id needs memory.
  bool full() const { return used_ * 2 >= capacity(); }

  /// The value under `id`, a zeroed one if it is new.
  Value &operator[](uint64_t id) {
    if (Value *found = find(id))
      return *found;
    SKEIN_ASSERT(id, "0 is no id: it marks what is free in a table");
    if (full())
      grow();
    used_++;
    return place(id)->value;
  }

  /// Copies the value out if it is there.
  bool take(uint64_t id, Value &value) {
    Value *found = find(id);
    if (!found)
      return false;
    value = *found;
    erase(id);
    return true;
  }

  bool erase(uint64_t id) {
    Value *found = find(id);
    if (!found)
      return false;
    size_t hole =
        static_cast<size_t>(reinterpret_cast<Slot *>(reinterpret_cast<char *>(found) - offsetof(Slot, value)) - slots_);
    for (size_t at = (hole + 1) & mask_; slots_[at].id; at = (at + 1) & mask_)
      if (((at - home(slots_[at].id)) & mask_) >= ((at - hole) & mask_)) {
        slots_[hole] = slots_[at];
        hole = at;
      }
    slots_[hole] = Slot{};
    used_--;
    return true;
  }

  /// Makes the table empty and gives all memory back. There is no destructor: tables live as long as the process, whose
  /// other threads still use them while it exits.
  void clear() {
    free(slots_);
    slots_ = nullptr;
    mask_ = used_ = 0;
  }

  /// Calls function(id, value) for each; the function must not change the table.
  template <class Function> void each(Function &&function) {
    for (size_t at = 0; at < capacity(); at++)
      if (slots_[at].id)
        function(slots_[at].id, slots_[at].value);
  }

  /// Erases each for which wanted(id, value) is true. It may be asked twice about those that it wants to keep.
  template <class Wanted> void erase_if(Wanted &&wanted) {
    for (size_t at = 0; at < capacity(); at++)
      while (slots_[at].id && wanted(slots_[at].id, slots_[at].value))
        erase(slots_[at].id); // another one may take its place
  }

  /// Where the table stands in memory, for debuggers: a slot begins with its id, 0 if it is free.
  struct Layout {
    const void *slots;  // the variable that has their address; null before there are any
    const size_t *mask; // their number less 1
    size_t slot_bytes, value;
  };
  Layout layout() const { return {&slots_, &mask_, sizeof(Slot), offsetof(Slot, value)}; }

private:
  struct Slot {
    uint64_t id;
    Value value;
  };

  size_t capacity() const { return slots_ ? mask_ + 1 : 0; }
  size_t home(uint64_t id) const { return static_cast<size_t>((id * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & mask_; }

  Slot *place(uint64_t id) {
    size_t at = home(id);
    while (slots_[at].id)
      at = (at + 1) & mask_;
    slots_[at].id = id;
    return &slots_[at];
  }

  void grow() {
    size_t old_capacity = capacity(), wanted = old_capacity ? old_capacity * 2 : 64;
    Slot *old = slots_;
    slots_ = static_cast<Slot *>(calloc(wanted, sizeof(Slot)));
    if (!slots_)
      fatal("out of memory for a table of %zu entries", wanted);
    mask_ = wanted - 1;
    for (size_t at = 0; at < old_capacity; at++)
      if (old[at].id)
        place(old[at].id)->value = old[at].value;
    free(old);
  }

  Slot *slots_ = nullptr;
  size_t mask_ = 0;
  size_t used_ = 0;
};

} // namespace skein

#endif
