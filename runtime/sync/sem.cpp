// Semaphores of this node.
//
//     word:  n << 1       n to be had, nobody waits
//            n << 1 | 1   n threads wait: then the word changes only under the bucket's lock
#include "sync/names.h"
#include "sync/quick_locks.h"

#include <cstdio>

namespace skein {

namespace {

constexpr uint64_t waited_for = 1, one = 2;

uint64_t word_with(uint64_t waiters) { return waiters ? waiters << 1 | waited_for : 0; }

void withdrawn_from_semaphore(Thread *thread, Woken &) {
  auto *sem = awaited<skein_sem_t>(*thread);
  set_word(sem->word_, word_with((word_of(sem->word_) >> 1) - 1));
}

void describe_semaphore(const Thread &thread, char *to, size_t bytes) {
  std::snprintf(to, bytes, "%s", object_text("semaphore", thread.wait.object).text);
}

constexpr WaitKind wait_kind = {
    .call = "skein_sem_wait", .withdrawn = withdrawn_from_semaphore, .describe = describe_semaphore, .parks = true};
constexpr WaitKind timedwait_kind = {
    .call = "skein_sem_timedwait_ns", .withdrawn = withdrawn_from_semaphore, .describe = describe_semaphore};

/// Takes one (true), or counts one more thread as waiting. Under the bucket's lock.
bool take_or_note(skein_sem_t *sem) {
  for (;;) {
    const uint64_t word = word_of(sem->word_);
    if (word & waited_for) {
      set_word(sem->word_, word + one);
      return false;
    }
    if (word ? replace(sem->word_, word, word - one) : replace(sem->word_, 0, word_with(1)))
      return word != 0;
  }
}

Thread *wait(Thread *self, skein_sem_t *sem, const WaitKind &kind, uint64_t most_ns) {
  return take_or_wait(self, kind, "semaphore", sem, most_ns, [&] { return take_or_note(sem); }) ? succeed(self) : self;
}

/// Takes one if there is one and nobody waits, and nothing else.
[[gnu::always_inline]] inline bool take_quickly(skein_sem_t *sem) {
  const uint64_t word = word_of(sem->word_);
  return __builtin_expect(
      word != 0 && !(word & waited_for) && thread_current() && replace_quickly(sem->word_, word, word - one), 1);
}

/// Gives `n` to those that wait. What is left over is for those that come later if `keep`, and is lost otherwise.
Thread *give(Thread *self, skein_sem_t *sem, uint64_t n, bool keep) {
  Woken woken;
  {
    Guard guard(bucket_of(sem));
    Ring &ring = ring_of(sem);
    uint64_t waiters = word_of(sem->word_) & waited_for ? word_of(sem->word_) >> 1 : 0;
    const bool waited = waiters != 0;
    for (; n && waiters; n--, waiters--)
      woken.push_back(ring.pop());
    if (!keep)
      n = 0;
    if (waited)
      set_word(sem->word_, waiters ? word_with(waiters) : n << 1);
    else
      for (uint64_t word = word_of(sem->word_); !replace(sem->word_, word, word + (n << 1));)
        word = word_of(sem->word_);
  }
  wait_end_all(woken, SKEIN_OK);
  return answer(self, SKEIN_OK);
}

} // namespace

extern "C" {

int skein_sem_wait_slow(skein_sem_t *sem);
int skein_sem_timedwait_slow(skein_sem_t *sem, uint64_t most_ns);
int skein_sem_signal_slow(skein_sem_t *sem);

int skein_sem_trywait_quick(skein_sem_t *sem) {
  if (!thread_current())
    return SKEIN_ETHREAD;
  for (;;) {
    const uint64_t word = word_of(sem->word_);
    if (word == 0 || (word & waited_for))
      return SKEIN_EBUSY;
    if (replace_quickly(sem->word_, word, word - one))
      return SKEIN_OK;
  }
}

int skein_sem_wait_quick(skein_sem_t *sem) {
  if (take_quickly(sem))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_sem_wait_slow(sem);
}

int skein_sem_timedwait_ns_quick(skein_sem_t *sem, uint64_t most_ns) {
  if (take_quickly(sem))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_sem_timedwait_slow(sem, most_ns);
}

int skein_sem_signal_quick(skein_sem_t *sem) {
  const uint64_t word = word_of(sem->word_);
  if (__builtin_expect(!(word & waited_for) && thread_current() && replace_quickly(sem->word_, word, word + one), 1))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_sem_signal_slow(sem);
}

Thread *skein_sem_wait_call(Thread *self, uint64_t sem) {
  return wait(self, object_of<skein_sem_t>(sem), wait_kind, forever);
}

Thread *skein_sem_timedwait_call(Thread *self, uint64_t sem, uint64_t most_ns) {
  return wait(self, object_of<skein_sem_t>(sem), timedwait_kind, most_ns);
}

Thread *skein_sem_signal_call(Thread *self, uint64_t sem) { return give(self, object_of<skein_sem_t>(sem), 1, true); }

Thread *skein_sem_signal_n_call(Thread *self, uint64_t sem, uint64_t n) {
  return give(self, object_of<skein_sem_t>(sem), n, true);
}

Thread *skein_sem_signal_all_call(Thread *self, uint64_t sem) {
  return give(self, object_of<skein_sem_t>(sem), UINT64_MAX, false);
}

int64_t skein_sem_count(skein_sem_t *sem) {
  const uint64_t word = word_of(sem->word_);
  const auto n = static_cast<int64_t>(word >> 1);
  return word & waited_for ? -n : n;
}

void skein_sem_init(skein_sem_t *sem, uint64_t count) { *sem = SKEIN_SEM_INITIALIZER(count); }

Thread *skein_sem_destroy_call(Thread *self, uint64_t argument) {
  auto *sem = object_of<skein_sem_t>(argument);
  const int64_t count = skein_sem_count(sem);
  if (count < 0)
    return answer(self, misuse(self, SKEIN_EBUSY, "skein_sem_destroy: %lld threads wait for %s",
                               static_cast<long long>(-count), object_text("semaphore", sem).text));
  set_word(sem->word_, 0);
  return answer(self, SKEIN_OK);
}

} // extern "C"

} // namespace skein
