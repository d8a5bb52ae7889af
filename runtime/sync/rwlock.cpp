// Reader/writer locks: first come, first served, except that readers next to each other in the queue go in together.
//
//     word:  readers << 2 | written << 1 | waited for
//
// With the last bit set the word changes only under the bucket's lock. A thread that reads already (its holds say so)
// may read again even if a writer waits, or it would wait for itself.
#include "sync/hold_reports.h"
#include "sync/names.h"
#include "sync/quick_locks.h"

#include <cstdio>

namespace skein {

namespace {

constexpr uint64_t waited_for = 1, written = 2, reader = 4;
enum Wish : uint64_t { to_read, to_write };

bool writes(const skein_rwlock_t *lock, const Thread *thread) {
  return (word_of(lock->word_) & written) && word_of(lock->writer_) == thread->id;
}

void begin_read(Thread *by, skein_rwlock_t *lock, const void *place) { hold_add(by, lock, place, HoldKind::read); }

void begin_write(Thread *by, skein_rwlock_t *lock, const void *place) {
  __atomic_store_n(&lock->writer_, by->id, __ATOMIC_RELAXED);
  lock->place_ = place;
  hold_add(by, lock, place, HoldKind::write);
}

/// Lets in the first threads of the ring that may go in, and writes the word. `readers` are in and no writer is. Under
/// the bucket's lock.
void let_in(skein_rwlock_t *lock, uint64_t readers, Woken &woken) {
  Ring &ring = ring_of(lock);
  uint64_t writer = 0;
  while (Thread *first = ring.first()) {
    if (first->wait_detail == to_write ? readers != 0 : writer != 0)
      break;
    ring.pop_front();
    woken.push_back(&first->wait.record);
    if (first->wait_detail == to_write) {
      begin_write(first, lock, place_of(first));
      writer = written;
      break;
    }
    begin_read(first, lock, place_of(first));
    readers++;
  }
  set_word(lock->word_, readers * reader | writer | (ring.empty() ? 0 : waited_for));
}

/// If a writer was withdrawn, readers behind it may go in.
void withdrawn_from_rwlock(Thread *thread, Woken &woken) {
  auto *lock = awaited<skein_rwlock_t>(*thread);
  const uint64_t word = word_of(lock->word_);
  if (!(word & written))
    let_in(lock, word / reader, woken);
  else if (ring_of(lock).empty())
    set_word(lock->word_, word & ~waited_for);
}

void describe_rwlock(const Thread &thread, char *to, size_t bytes) {
  auto *lock = awaited<skein_rwlock_t>(thread);
  const uint64_t word = word_of(lock->word_);
  const ObjectText name = object_text("reader/writer lock", lock);
  if (word & written)
    std::snprintf(to, bytes, "%s, which thread %s took to write in %s", name.text, thread_name(lock->writer_).text,
                  place_text(lock->place_).text);
  else
    std::snprintf(to, bytes, "%s, which %llu threads read", name.text, static_cast<unsigned long long>(word / reader));
}

constexpr WaitKind kind_of(const char *call) {
  return {.call = call, .withdrawn = withdrawn_from_rwlock, .describe = describe_rwlock};
}
constexpr WaitKind read_kind = kind_of("skein_rwlock_read");
constexpr WaitKind timedread_kind = kind_of("skein_rwlock_timedread_ns");
constexpr WaitKind write_kind = kind_of("skein_rwlock_write");
constexpr WaitKind timedwrite_kind = kind_of("skein_rwlock_timedwrite_ns");

bool read_quickly(Thread *self, skein_rwlock_t *lock, const void *place) {
  const uint64_t word = word_of(lock->word_);
  if ((word & (written | waited_for)) || !replace_quickly(lock->word_, word, word + reader))
    return false;
  begin_read(self, lock, place);
  return true;
}

bool write_quickly(Thread *self, skein_rwlock_t *lock, const void *place) {
  if (!replace_quickly(lock->word_, 0, written))
    return false;
  begin_write(self, lock, place);
  return true;
}

/// Goes in (true), or notes that somebody waits. Under the bucket's lock.
bool go_in_or_note(skein_rwlock_t *lock, Wish wish, bool reads_already) {
  for (;;) {
    const uint64_t word = word_of(lock->word_);
    const bool may = wish == to_write ? word == 0 : !(word & written) && (!(word & waited_for) || reads_already);
    if (may && replace(lock->word_, word, wish == to_write ? written : word + reader))
      return true;
    if (!may && ((word & waited_for) || replace(lock->word_, word, word | waited_for)))
      return false;
  }
}

Thread *enter(Thread *self, skein_rwlock_t *lock, Wish wish, const WaitKind &kind, uint64_t most_ns) {
  const Hold *reads = hold_find(self, lock, HoldKind::read);
  if (writes(lock, self) || (reads && wish == to_write))
    return answer(self, misuse(self, SKEIN_ELOCK, "%s: thread %s holds %s already, since %s, and would wait for itself",
                               kind.call, thread_name(self->id).text, object_text("reader/writer lock", lock).text,
                               place_text(reads ? reads->place : lock->place_).text));
  self->wait_detail = wish;
  if (!take_or_wait(self, kind, "reader/writer lock", lock, most_ns,
                    [&] { return go_in_or_note(lock, wish, reads != nullptr); }))
    return self;
  if (wish == to_write)
    begin_write(self, lock, place_of(self));
  else
    begin_read(self, lock, place_of(self));
  return succeed(self);
}

int not_held(Thread *self, const skein_rwlock_t *lock) {
  return misuse(self, SKEIN_ELOCK, "skein_rwlock_unlock: thread %s, which unlocks %s in %s, does not hold it",
                thread_name(self->id).text, object_text("reader/writer lock", lock).text,
                place_text(place_of(self)).text);
}

} // namespace

extern "C" {

int skein_rwlock_read_slow(skein_rwlock_t *lock);
int skein_rwlock_timedread_slow(skein_rwlock_t *lock, uint64_t most_ns);
int skein_rwlock_write_slow(skein_rwlock_t *lock);
int skein_rwlock_timedwrite_slow(skein_rwlock_t *lock, uint64_t most_ns);
int skein_rwlock_unlock_slow(skein_rwlock_t *lock);

int skein_rwlock_read_quick(skein_rwlock_t *lock) {
  Thread *self = thread_current();
  if (__builtin_expect(self && read_quickly(self, lock, __builtin_return_address(0)), 1))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_rwlock_read_slow(lock);
}

int skein_rwlock_timedread_ns_quick(skein_rwlock_t *lock, uint64_t most_ns) {
  Thread *self = thread_current();
  if (__builtin_expect(self && read_quickly(self, lock, __builtin_return_address(0)), 1))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_rwlock_timedread_slow(lock, most_ns);
}

int skein_rwlock_tryread_quick(skein_rwlock_t *lock) {
  Thread *self = thread_current();
  if (!self)
    return SKEIN_ETHREAD;
  while (!(word_of(lock->word_) & (written | waited_for)))
    if (read_quickly(self, lock, __builtin_return_address(0)))
      return SKEIN_OK;
  return SKEIN_EBUSY;
}

int skein_rwlock_write_quick(skein_rwlock_t *lock) {
  Thread *self = thread_current();
  if (__builtin_expect(self && write_quickly(self, lock, __builtin_return_address(0)), 1))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_rwlock_write_slow(lock);
}

int skein_rwlock_timedwrite_ns_quick(skein_rwlock_t *lock, uint64_t most_ns) {
  Thread *self = thread_current();
  if (__builtin_expect(self && write_quickly(self, lock, __builtin_return_address(0)), 1))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_rwlock_timedwrite_slow(lock, most_ns);
}

int skein_rwlock_trywrite_quick(skein_rwlock_t *lock) {
  Thread *self = thread_current();
  if (!self)
    return SKEIN_ETHREAD;
  return write_quickly(self, lock, __builtin_return_address(0)) ? SKEIN_OK : SKEIN_EBUSY;
}

int skein_rwlock_unlock_quick(skein_rwlock_t *lock) {
  Thread *self = thread_current();
  if (self && writes(lock, self)) {
    __atomic_store_n(&lock->writer_, 0, __ATOMIC_RELAXED); // before another writer can be in
    if (replace_quickly(lock->word_, written, 0)) {
      hold_remove(self, lock);
      return SKEIN_OK;
    }
    __atomic_store_n(&lock->writer_, self->id, __ATOMIC_RELAXED);
  } else if (self && self->holds.named && self->hold_slots[self->holds.named - 1].object == lock) {
    const uint64_t word = word_of(lock->word_);
    if (!(word & waited_for) && replace_quickly(lock->word_, word, word - reader)) {
      hold_remove(self, lock);
      return SKEIN_OK;
    }
  }
  SKEIN_SLOWLY skein_rwlock_unlock_slow(lock);
}

Thread *skein_rwlock_read_call(Thread *self, uint64_t lock) {
  return enter(self, object_of<skein_rwlock_t>(lock), to_read, read_kind, forever);
}

Thread *skein_rwlock_timedread_call(Thread *self, uint64_t lock, uint64_t most_ns) {
  return enter(self, object_of<skein_rwlock_t>(lock), to_read, timedread_kind, most_ns);
}

Thread *skein_rwlock_write_call(Thread *self, uint64_t lock) {
  return enter(self, object_of<skein_rwlock_t>(lock), to_write, write_kind, forever);
}

Thread *skein_rwlock_timedwrite_call(Thread *self, uint64_t lock, uint64_t most_ns) {
  return enter(self, object_of<skein_rwlock_t>(lock), to_write, timedwrite_kind, most_ns);
}

Thread *skein_rwlock_unlock_call(Thread *self, uint64_t argument) {
  auto *lock = object_of<skein_rwlock_t>(argument);
  const bool wrote = writes(lock, self);
  if (!wrote && ((word_of(lock->word_) & written) || word_of(lock->word_) < reader))
    return answer(self, not_held(self, lock));
  if (!hold_remove(self, lock))
    return answer(self, not_held(self, lock));
  Woken woken;
  {
    Guard guard(bucket_of(lock));
    for (;;) {
      const uint64_t word = word_of(lock->word_);
      if (word & waited_for) {
        if (wrote)
          __atomic_store_n(&lock->writer_, 0, __ATOMIC_RELAXED);
        let_in(lock, wrote ? 0 : word / reader - 1, woken);
        break;
      }
      if (replace(lock->word_, word, wrote ? 0 : word - reader))
        break;
    }
  }
  wait_end_all(woken, SKEIN_OK);
  return succeed(self);
}

void skein_rwlock_init(skein_rwlock_t *lock) { *lock = SKEIN_RWLOCK_INITIALIZER; }

Thread *skein_rwlock_destroy_call(Thread *self, uint64_t argument) {
  auto *lock = object_of<skein_rwlock_t>(argument);
  const uint64_t word = word_of(lock->word_);
  if (word != 0)
    return answer(self, misuse(self, SKEIN_EBUSY, "skein_rwlock_destroy: %s is held%s",
                               object_text("reader/writer lock", lock).text,
                               word & waited_for ? ", and others wait for it" : ""));
  skein_rwlock_init(lock);
  return answer(self, SKEIN_OK);
}

} // extern "C"

} // namespace skein
