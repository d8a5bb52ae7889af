// The limits on live threads; see limits.h.
#include "sched/limits.h"

#include "base/knobs.h"
#include "sched/bundle_table.h"
#include "sched/worker.h"

#include <skein/bundle.h>

#include <new>

namespace skein {

std::atomic<bool> limits_any{false};

namespace {

enum Wake : uint64_t { go_on, look_again, pass }; // what a thread that waited is told

std::atomic<uint32_t> waiting{0};

uint64_t threads_of(const skein_bundle &bundle) {
  return &bundle == bundle_root ? threads_living() : bundle.threads.load(std::memory_order_relaxed);
}

bool full(const skein_bundle &bundle) {
  const uint64_t limit = bundle.limit.load(std::memory_order_relaxed);
  return limit && threads_of(bundle) >= limit;
}

/// Room enough that a thread that is woken can spawn more than once.
bool has_room(const skein_bundle &bundle) {
  const uint64_t limit = bundle.limit.load(std::memory_order_relaxed);
  return !limit || threads_of(bundle) + limit / 8 < limit;
}

void wake_first(skein_bundle &bundle) {
  Thread *thread;
  {
    Guard guard(bundle.limit_lock);
    thread = bundle.limit_waiters.pop_front();
  }
  if (!thread)
    return;
  waiting.fetch_sub(1, std::memory_order_relaxed);
  thread_wake(thread, look_again);
}

void wake_if_room(skein_bundle &bundle) {
  if (bundle.limit.load(std::memory_order_relaxed) && has_room(bundle))
    wake_first(bundle);
}

} // namespace

void limits_start() {
  bundle_root->limit.store(knobs.threads_max, std::memory_order_relaxed);
  limits_any.store(knobs.threads_max != 0, std::memory_order_relaxed);
  long_way(long_limits, knobs.threads_max != 0);
}

void limits_after_fork() {
  waiting.store(0, std::memory_order_relaxed);
  for (uint32_t i = 0, n = bundle_count(); i < n; i++) {
    new (&bundle_at(i)->limit_lock) SpinLock(Rank::limits);
    new (&bundle_at(i)->limit_waiters) List<Thread>();
  }
}

void limits_ended(skein_bundle &bundle) {
  if (!waiting.load(std::memory_order_relaxed))
    return;
  wake_if_room(bundle);
  if (&bundle != bundle_root)
    wake_if_room(*bundle_root);
}

bool limits_waiting() { return waiting.load(std::memory_order_relaxed) != 0; }

bool limits_pass() {
  if (!limits_waiting())
    return false;
  for (uint32_t i = bundle_count(); i-- > 0;) {
    skein_bundle &bundle = *bundle_at(i);
    Thread *thread;
    {
      Guard guard(bundle.limit_lock);
      thread = bundle.limit_waiters.pop_back();
    }
    if (thread) {
      waiting.fetch_sub(1, std::memory_order_relaxed);
      thread_wake(thread, pass);
      return true;
    }
  }
  return false;
}

/// skein_limit_wait(attributes, told) is called before a spawn until it returns 0. `told` is what the call before it
/// returned.
extern "C" Thread *skein_limit_wait_call(Thread *self, const skein_attributes *attributes, uint64_t told) {
  if (told != go_on && self->limit_bound) {
    self->bound = false;
    self->limit_bound = false;
  }
  self->result = go_on;
  if (told == pass)
    return self;
  skein_bundle *bundle = attributes && attributes->bundle ? attributes->bundle : self->bundle;
  if (!full(*bundle)) {
    bundle = bundle_root;
    if (!full(*bundle))
      return self;
  }
  thread_block(self, "skein_spawn", nullptr);
  self->limit_bound = !self->bound;
  self->bound = true;
  {
    Guard guard(bundle->limit_lock);
    waiting.fetch_add(1, std::memory_order_relaxed);
    bundle->limit_waiters.push_back(self);
  }
  return thread_next();
}

} // namespace skein

extern "C" int skein_bundle_limit_set(struct skein_bundle *bundle, uint64_t most) {
  using namespace skein;
  if (!bundle)
    bundle = bundle_root;
  bundle->limit.store(most, std::memory_order_relaxed);
  limits_any.store(true, std::memory_order_relaxed);
  long_way(long_limits, true);
  for (uint64_t i = waiting.load(std::memory_order_relaxed); i-- > 0;)
    wake_first(*bundle); // a thread that still finds no room waits again
  return SKEIN_OK;
}
