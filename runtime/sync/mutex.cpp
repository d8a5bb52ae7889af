// Mutexes and spin locks.
//
//     word:  0                      free
//            holder's id << 1       held
//            holder's id << 1 | 1   held, and somebody waits: then the word changes only under the bucket's lock
//
// An unlock hands the mutex to the first thread that waits. So no thread starves, none is woken in vain, and a mutex
// that is waited for is never free. Mutexes of kernel threads do not do so because each hand-over costs a switch of the
// kernel; here it costs a switch of threads. With several workers a thread that finds the mutex taken spins for a few
// microseconds first, as long as nobody waits.
//
// Rejected: barging, where a woken thread competes again. Its loop would be a frame of the runtime on the thread's
// stack.
#include "sync/mutex_of_condition.h"

#include "sched/timers.h"
#include "sync/hold_reports.h"
#include "sync/names.h"
#include "sync/quick_locks.h"

#include <cstdio>

namespace skein {

namespace {

constexpr uint64_t waited_for = 1;
constexpr unsigned spins_most = 100;

uint64_t word_for(const Thread *thread) { return thread->id << 1; }

/// Returns SKEIN_OK: a quick way ends in it (hold_add).
int taken(Thread *by, skein_mutex_t *mutex, const void *place) {
  static_assert(SKEIN_OK == 0);
  mutex->place_ = place;
  return hold_add(by, mutex, place, HoldKind::mutex);
}

/// Takes the mutex (true), or notes that somebody waits. Under the bucket's lock.
bool take_or_note(skein_mutex_t *mutex, uint64_t mine) {
  for (;;) {
    const uint64_t word = word_of(mutex->word_);
    if (word == 0) {
      if (replace(mutex->word_, 0, mine))
        return true;
    } else if ((word & waited_for) || replace(mutex->word_, word, word | waited_for)) {
      return false;
    }
  }
}

void withdrawn_from_mutex(Thread *thread, Woken &) {
  auto *mutex = awaited<skein_mutex_t>(*thread);
  if (ring_of(mutex).empty())
    set_word(mutex->word_, word_of(mutex->word_) & ~waited_for);
}

void describe_mutex(const Thread &thread, char *to, size_t bytes) {
  auto *mutex = awaited<skein_mutex_t>(thread);
  const uint64_t holder = word_of(mutex->word_) >> 1;
  std::snprintf(to, bytes, "%s, which thread %s took in %s", object_text("mutex", mutex).text, thread_name(holder).text,
                place_text(mutex->place_).text);
}

constexpr WaitKind lock_kind = {
    .call = "skein_mutex_lock", .withdrawn = withdrawn_from_mutex, .describe = describe_mutex};
constexpr WaitKind timedlock_kind = {
    .call = "skein_mutex_timedlock_ns", .withdrawn = withdrawn_from_mutex, .describe = describe_mutex};
/// Of a thread that waited for a condition. It is not withdrawn, since it must have its mutex back.
constexpr WaitKind again_kind = {.call = "skein_condition_wait", .describe = describe_mutex};

/// Spins as long as the holder may be running and nobody waits.
void spin(const uint64_t &word) {
  if (!workers_many())
    return;
  for (unsigned i = 0; i < spins_most; i++) {
    const uint64_t now = word_of(word);
    if (now == 0 || (now & waited_for))
      return;
    __builtin_ia32_pause();
  }
}

/// Whether the holder has not ended, or has unlocked meanwhile.
bool holder_lives(const skein_mutex_t *mutex) {
  const uint64_t word = word_of(mutex->word_);
  return word == 0 || thread_with(word >> 1, [](Thread *) {}) || word_of(mutex->word_) >> 1 != word >> 1;
}

Thread *lock_slowly(Thread *self, skein_mutex_t *mutex, const WaitKind &kind, uint64_t most_ns) {
  if (mutex_held_by(mutex, self))
    return answer(self,
                  misuse(self, SKEIN_ELOCK, "%s: thread %s holds %s already, since %s", kind.call,
                         thread_name(self->id).text, object_text("mutex", mutex).text, place_text(mutex->place_).text));
  spin(mutex->word_);
  if (!holder_lives(mutex))
    return answer(self, misuse(self, SKEIN_EDEAD, "%s: thread %s took %s in %s and has ended without unlocking it",
                               kind.call, thread_name(word_of(mutex->word_) >> 1).text,
                               object_text("mutex", mutex).text, place_text(mutex->place_).text));
  self->wait_detail = SKEIN_OK; // what the call returns after a wait
  if (!take_or_wait(self, kind, "mutex", mutex, most_ns, [&] { return take_or_note(mutex, word_for(self)); }))
    return self;
  taken(self, mutex, place_of(self));
  return succeed(self);
}

/// Takes a mutex that is free, and nothing else. `taken` has to follow.
bool take_free(skein_mutex_t *mutex, const Thread *self) {
  return __builtin_expect(replace_quickly(mutex->word_, 0, word_for(self)), 1);
}

} // namespace

bool mutex_held_by(const skein_mutex_t *mutex, const Thread *thread) {
  return (word_of(mutex->word_) & ~waited_for) == word_for(thread);
}

void mutex_release(skein_mutex_t *mutex) {
  Thread *next;
  {
    Guard guard(bucket_of(mutex));
    Ring &ring = ring_of(mutex);
    next = ring.pop_front();
    if (next)
      taken(next, mutex, place_of(next));
    set_word(mutex->word_, next ? word_for(next) | (ring.empty() ? 0 : waited_for) : 0);
  }
  if (next)
    wait_end(next, next->wait_detail);
}

void mutex_lock_for(Thread *thread, skein_mutex_t *mutex, uint64_t result) {
  timer_cancel(thread->timer);
  {
    Guard guard(bucket_of(mutex));
    if (!take_or_note(mutex, word_for(thread))) {
      thread->wait_detail = result;
      __atomic_store_n(&thread->wait.kind, &again_kind, __ATOMIC_RELEASE);
      __atomic_store_n(&thread->wait.object, mutex, __ATOMIC_RELEASE);
      ring_of(mutex).push_back(thread);
      return;
    }
    taken(thread, mutex, place_of(thread));
  }
  wait_end(thread, result);
}

extern "C" {

// --- mutex -----------------------------------------------------------------------------------------------------------

int skein_mutex_lock_slow(skein_mutex_t *mutex);
int skein_mutex_timedlock_slow(skein_mutex_t *mutex, uint64_t most_ns);
int skein_mutex_unlock_slow(skein_mutex_t *mutex);

int skein_mutex_lock_quick(skein_mutex_t *mutex) {
  Thread *self = thread_current();
  if (self && take_free(mutex, self))
    return taken(self, mutex, __builtin_return_address(0));
  SKEIN_SLOWLY skein_mutex_lock_slow(mutex);
}

int skein_mutex_timedlock_ns_quick(skein_mutex_t *mutex, uint64_t most_ns) {
  Thread *self = thread_current();
  if (self && take_free(mutex, self))
    return taken(self, mutex, __builtin_return_address(0));
  SKEIN_SLOWLY skein_mutex_timedlock_slow(mutex, most_ns);
}

int skein_mutex_trylock_quick(skein_mutex_t *mutex) {
  Thread *self = thread_current();
  if (!self)
    return SKEIN_ETHREAD;
  return take_free(mutex, self) ? taken(self, mutex, __builtin_return_address(0)) : SKEIN_EBUSY;
}

int skein_mutex_unlock_quick(skein_mutex_t *mutex) {
  Thread *self = thread_current();
  if (__builtin_expect(self && replace_quickly(mutex->word_, word_for(self), 0), 1)) {
    hold_remove(self, mutex);
    return SKEIN_OK;
  }
  SKEIN_SLOWLY skein_mutex_unlock_slow(mutex);
}

Thread *skein_mutex_lock_call(Thread *self, uint64_t mutex) {
  return lock_slowly(self, object_of<skein_mutex_t>(mutex), lock_kind, forever);
}

Thread *skein_mutex_timedlock_call(Thread *self, uint64_t mutex, uint64_t most_ns) {
  return lock_slowly(self, object_of<skein_mutex_t>(mutex), timedlock_kind, most_ns);
}

Thread *skein_mutex_unlock_call(Thread *self, uint64_t argument) {
  auto *mutex = object_of<skein_mutex_t>(argument);
  const uint64_t word = word_of(mutex->word_);
  if (word == 0)
    return answer(self, misuse(self, SKEIN_ELOCK, "skein_mutex_unlock: %s, unlocked by thread %s in %s, is not locked",
                               object_text("mutex", mutex).text, thread_name(self->id).text,
                               place_text(place_of(self)).text));
  if (!mutex_held_by(mutex, self))
    return answer(self,
                  misuse(self, SKEIN_ELOCK,
                         "skein_mutex_unlock: thread %s, which unlocks %s in %s, does not hold it: thread %s took "
                         "it in %s",
                         thread_name(self->id).text, object_text("mutex", mutex).text, place_text(place_of(self)).text,
                         thread_name(word >> 1).text, place_text(mutex->place_).text));
  hold_remove(self, mutex);
  mutex_release(mutex);
  return succeed(self);
}

void skein_mutex_init(skein_mutex_t *mutex) { *mutex = SKEIN_MUTEX_INITIALIZER; }

Thread *skein_mutex_destroy_call(Thread *self, uint64_t argument) {
  auto *mutex = object_of<skein_mutex_t>(argument);
  const uint64_t word = word_of(mutex->word_);
  if (word != 0)
    return answer(self, misuse(self, SKEIN_EBUSY, "skein_mutex_destroy: %s is held by thread %s, which took it in %s%s",
                               object_text("mutex", mutex).text, thread_name(word >> 1).text,
                               place_text(mutex->place_).text, word & waited_for ? "; others wait for it" : ""));
  skein_mutex_init(mutex);
  return answer(self, SKEIN_OK);
}

// --- spin lock -------------------------------------------------------------------------------------------------------
// The holder's id, or 0. Only its holder changes it back, so unlocking needs no exchange.

int skein_spin_unlock_slow(skein_spin_t *spin);

int skein_spin_trylock_quick(skein_spin_t *spin) {
  Thread *self = thread_current();
  if (!self)
    return SKEIN_ETHREAD;
  if (!replace_quickly(spin->word_, 0, self->id))
    return SKEIN_EBUSY;
  return hold_add(self, spin, __builtin_return_address(0), HoldKind::spin);
}

int skein_spin_unlock_quick(skein_spin_t *spin) {
  Thread *self = thread_current();
  if (__builtin_expect(self && word_of(spin->word_) == self->id, 1)) {
    hold_remove(self, spin);
    set_word(spin->word_, 0);
    return SKEIN_OK;
  }
  SKEIN_SLOWLY skein_spin_unlock_slow(spin);
}

Thread *skein_spin_unlock_call(Thread *self, uint64_t argument) {
  auto *lock = object_of<skein_spin_t>(argument);
  return answer(
      self, misuse(self, SKEIN_ELOCK, "skein_spin_unlock: thread %s, which unlocks %s in %s, does not hold it",
                   thread_name(self->id).text, object_text("spin lock", lock).text, place_text(place_of(self)).text));
}

/// Part of skein_spin_lock, when the lock was taken: spins until it may be free.
Thread *skein_spin_wait_call(Thread *self, uint64_t argument) {
  auto *lock = object_of<skein_spin_t>(argument);
  if (word_of(lock->word_) == self->id) {
    const Hold *hold = hold_find(self, lock, HoldKind::spin);
    return answer(self, misuse(self, SKEIN_ELOCK, "skein_spin_lock: thread %s holds %s already%s%s",
                               thread_name(self->id).text, object_text("spin lock", lock).text, hold ? ", since " : "",
                               hold ? place_text(hold->place).text : ""));
  }
  if (workers_many())
    for (unsigned i = 0; i < spins_most && word_of(lock->word_) != 0; i++)
      __builtin_ia32_pause();
  return answer(self, SKEIN_OK);
}

} // extern "C"

} // namespace skein
