// Some addresses are kept where no map describes them: they are given to the C library, made into numbers, or stored in
// heap blocks. The functions of this file are what compiled code calls to report that.
//
// Some C library functions keep an address after they have returned (setvbuf, putenv and others). The compiler tells us
// before such a call. If the address lies in the caller's own stack, the library would go on using the old place after
// a move. So the thread is pinned from here on, since nothing tells when the library stops using it.
//
// Rejected: versions of our own of these functions, as there are of strtok (their state is shared with code that is not
// ours); relocating glibc's private variables (their places are not part of its interface).
#include "abi/entry_points.h"
#include "migrate/check.h"
#include "migrate/outside.h"
#include "migrate/program_numbers.h"
#include "migrate/search.h"
#include "private/regions/extents.h"
#include "thread/thread.h"

#include <string.h>

using namespace skein;

static void library_keeps(Thread &self, const void *kept, const char *function) {
  if (self.pinned_by == nullptr && self.stack.contains(kept))
    self.pinned_by = function;
}

// Reports each word of one object; see __skein_library_keeps_words.
static void library_keeps_words(Thread &self, const unsigned char *object, uint64_t layout, const char *function) {
  for (layout &= (UINT64_C(1) << SKEIN_KEPT_ROW_SHIFT) - 1; layout != 0; layout >>= 8) {
    const void *word;
    memcpy(&word, object + ((layout & 0xff) - 1) * SKEIN_KEPT_UNIT, sizeof word);
    library_keeps(self, word, function);
  }
}

extern "C" void __skein_library_keeps(const void *kept, const char *function) {
  if (Thread *self = thread_current())
    library_keeps(*self, kept, function);
}

extern "C" void __skein_library_keeps_words(const void *objects, uint64_t count, uint64_t layout,
                                            const char *function) {
  Thread *self = thread_current();
  const uint64_t bytes = (layout >> SKEIN_KEPT_ROW_SHIFT) * SKEIN_KEPT_UNIT;
  for (uint64_t i = 0; self != nullptr && objects != nullptr && self->pinned_by == nullptr && i < count; ++i)
    library_keeps_words(*self, (const unsigned char *)objects + i * bytes, layout, function);
}

extern "C" void __skein_library_keeps_each(const void *pointers, uint64_t count, uint64_t layout,
                                           const char *function) {
  Thread *self = thread_current();
  for (uint64_t i = 0; self != nullptr && pointers != nullptr && self->pinned_by == nullptr && i < count; ++i) {
    auto *object = ((const unsigned char *const *)pointers)[i];
    library_keeps(*self, object, function);
    if (object != nullptr)
      library_keeps_words(*self, object, layout, function);
  }
}

// A function of the library stores the address at `place`. A place on the thread's stack, in its private memory or in a
// global with a record is looked at when the thread moves.
extern "C" void __skein_library_stores(const void *address, const void *place, const char *function) {
  Thread *self = thread_current();
  if (self != nullptr && place != nullptr && self->stack.contains(address) && !self->stack.contains(place) &&
      private_owner(*self, (uintptr_t)place) != PrivateOwner::own && !global_is_searched((uintptr_t)place))
    library_keeps(*self, address, function);
}

// The program protects or unmaps pages. The runtime keeps no record of that, so if the pages are part of the thread's
// stack or private heap, it stays on this node from now on. If they are part of the process heap, relocation stress has
// to know (outside.h).
extern "C" void __skein_memory_changed(const void *begin, const char *function) {
  Thread *self = thread_current();
  outside_changed((uintptr_t)begin);
  if (self == nullptr || (!self->stack.contains(begin) && private_owner(*self, (uintptr_t)begin) != PrivateOwner::own))
    return;
  if (Private *owned = private_record(*self))
    owned->memory_changed = function;
}

// A word of the thread's private memory moves along. That it holds an address is remembered, in case the type of its
// block does not say so.
static bool remember(Thread &self, const void *address, const void *place) {
  if (private_owner(self, (uintptr_t)place) != PrivateOwner::own)
    return false;
  auto live = [](uintptr_t at, void *thread) { return private_owner(*(Thread *)thread, at) == PrivateOwner::own; };
  return known_add(self.owned->known, (uintptr_t)place, (uintptr_t)address, live, &self);
}

extern "C" __attribute__((preserve_most)) void __skein_address_escapes(const void *address, const void *place,
                                                                       const char *how) {
  if (__skein_watch.program)
    program_number_made((uintptr_t)address, how);
  Thread *self = thread_current();
  if (self == nullptr || !self->stack.contains(address) || self->stack.contains(place))
    return;
  if (place == nullptr)
    self->numbered = how;
  else if (self->escaped == nullptr && !remember(*self, address, place))
    self->escaped = how;
}

// The words are mostly text or zero, so they are looked at one by one only where one of them may be an address.
static bool holds_address(const Stack &stack, const unsigned char *words, uint64_t count) {
  const bool near = any_word_near(words, count, (uintptr_t)stack.slot_begin, (uintptr_t)stack.slot_end);
  for (uint64_t i = 0; near && i < count; ++i) {
    const void *word;
    memcpy(&word, words + i * sizeof word, sizeof word);
    if (stack.contains(word))
      return true;
  }
  return false;
}

extern "C" void __skein_words_escape(const void *words, uint64_t count, const char *how) {
  const auto *bytes = (const unsigned char *)words;
  for (uint64_t i = 0; __skein_watch.program && i < count; ++i) {
    uintptr_t word;
    memcpy(&word, bytes + i * sizeof word, sizeof word);
    program_number_made(word, how);
  }
  Thread *self = thread_current();
  if (self != nullptr && self->stack && holds_address(self->stack, bytes, count))
    self->numbered = how;
}

extern "C" void __skein_numbers_untold(const char *how) {
  const char *none = nullptr;
  numbers_untold.compare_exchange_strong(none, how, std::memory_order_relaxed);
  program_number_untold(how);
}

// Three functions, of which each saves only the registers that it needs itself: the word is the last one again, it is
// remembered already, or it is not.
[[gnu::noinline, clang::preserve_most]] static void store_first(const void *address, const void *place) {
  remember(*thread_current(), address, place);
}
[[gnu::noinline, clang::preserve_most]] static void store_again(const void *address, const void *place) {
  Private *owned = thread_current()->owned;
  if (owned == nullptr || !known_again(owned->known, (uintptr_t)place, (uintptr_t)address))
    store_first(address, place);
}

extern "C" __attribute__((preserve_most)) void __skein_address_stored(const void *address, const void *place) {
  const Thread *self = thread_current();
  if (self == nullptr || !self->stack.contains(address))
    return;
  Private *owned = self->owned;
  if (owned == nullptr || !known_once_more(owned->known, (uintptr_t)place, (uintptr_t)address))
    store_again(address, place);
}

extern "C" void __skein_address_escapes_c(const void *address, const void *place, const char *how) {
  __skein_address_escapes(address, place, how);
}

extern "C" void __skein_address_stored_c(const void *address, const void *place) {
  __skein_address_stored(address, place);
}

extern "C" int __skein_moves_along(const void *address) {
  const Thread *self = thread_current();
  return self != nullptr && (self->stack.contains(address) ||
                             private_owner(*self, reinterpret_cast<uintptr_t>(address)) == PrivateOwner::own);
}

extern "C" void __skein_descriptor_opened() {
  if (Thread *self = thread_current())
    self->descriptors.fetch_add(1, std::memory_order_relaxed);
}

extern "C" void __skein_descriptor_closed(uint64_t holder) {
  // The thread may have moved since then, in which case it counts from 0 again.
  auto take_one = [](Thread *thread) {
    uint32_t before = thread->descriptors.load(std::memory_order_relaxed);
    while (before && !thread->descriptors.compare_exchange_weak(before, before - 1, std::memory_order_relaxed))
      ;
  };
  Thread *self = thread_current();
  if (self != nullptr && self->id == holder)
    take_one(self);
  else
    thread_with(holder, take_one);
}

extern "C" unsigned __skein_moves() {
  const Thread *self = thread_current();
  return self != nullptr ? self->moves : 0;
}
