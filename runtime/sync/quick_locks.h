// Most locks are free when they are taken and waited for by nobody when they are given back. So each call has a *quick
// way*: one instruction in a function that calls nothing. It runs on the caller's stack, which may be a small one
// (stubs.S marks it), and otherwise ends in a jump to the stub of the slow way, so that the stub's caller is the
// program's own call.
//
// As long as there is one worker, no other kernel thread touches these objects, and the instruction needs no lock
// prefix, which would be three quarters of its cost.
#ifndef SKEIN_SYNC_QUICK_LOCKS_H
#define SKEIN_SYNC_QUICK_LOCKS_H

#include "sched/worker.h"
#include "sync/waits.h"

#include <skein/sync.h>

#include <cstdint>

/// The slow way has the same signature.
#define SKEIN_SLOWLY [[clang::musttail]] return

namespace skein {

inline uint64_t word_of(const uint64_t &word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }
inline uint64_t word_acquire(const uint64_t &word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
/// Pairs with the acquire of the thread that takes the object next.
inline void set_word(uint64_t &word, uint64_t value) { __atomic_store_n(&word, value, __ATOMIC_RELEASE); }
inline bool replace(uint64_t &word, uint64_t from, uint64_t to) {
  return __atomic_compare_exchange_n(&word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
/// The same, without a lock prefix if there is one worker.
inline bool replace_quickly(uint64_t &word, uint64_t from, uint64_t to) {
  if (__builtin_expect(workers_many(), 0))
    return replace(word, from, to);
  if (word_of(word) != from)
    return false;
  __atomic_store_n(&word, to, __ATOMIC_RELAXED);
  return true;
}

template <class Object> Ring &ring_of(Object *object) { return *reinterpret_cast<Ring *>(&object->waiters_); }
template <class Object> Object *object_of(uint64_t argument) { return reinterpret_cast<Object *>(argument); }
template <class Object> Object *awaited(const Thread &thread) { return static_cast<Object *>(thread.wait.object); }

} // namespace skein

#endif
