// Waiting for the C library's locks; see c_locks.h.
#include "sync/c_locks.h"

#include "base/log.h"
#include "private/library/kernel_threads.h"
#include "sync/hold_reports.h"
#include "sync/names.h"
#include "thread/backtrace.h"
#include "thread/function_name.h"
#include "thread/table.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <new>

extern "C" int skein_c_wait_slow(skein::CWait *wait, uint64_t until_ns);

namespace skein {

CWaiters c_waiters[c_waiters_count];

namespace {

constexpr uint64_t look_least_ns = 1000000, look_most_ns = 16000000;
constexpr uint64_t long_ns = UINT64_C(10000000000);

/// The search for a thread that holds an object.
struct Holder {
  const void *object;
  const Thread *but = nullptr;
  uint64_t id = 0;
  const void *place = nullptr;
  bool runs = false;
};

void look_for_holder(Thread *thread, void *context) {
  auto &holder = *static_cast<Holder *>(context);
  if (!holder.id && thread != holder.but)
    hold_each(*thread, [&](const Hold &hold) {
      if (hold.object != holder.object)
        return false;
      holder.id = thread->id;
      holder.place = hold.place;
      holder.runs = thread->state.load(std::memory_order_relaxed) == ThreadState::running;
      return true;
    });
}

std::atomic<bool> unseen_ever{false};

void say_long(const Thread *self, const CWait &wait, uint64_t ns) {
  Holder holder = {wait.object};
  thread_each(look_for_holder, &holder);
  if (holder.id)
    log("thread %s has waited %llu s in %s for %s, which thread %s took in %s", thread_name(self->id).text,
        static_cast<unsigned long long>(ns / 1000000000), wait.kind->call,
        object_text(wait.kind->what, wait.object).text, thread_name(holder.id).text, place_text(holder.place).text);
  else
    log("thread %s has waited %llu s in %s for %s, which no Skein thread of this node holds",
        thread_name(self->id).text, static_cast<unsigned long long>(ns / 1000000000), wait.kind->call,
        object_text(wait.kind->what, wait.object).text);
}

} // namespace

/// Called when nothing else runs in this process, or nobody changes threads (thread_dump.h, deadlock.h).
void c_wait_describe(const Thread &thread, char *to, size_t bytes) {
  auto *object = reinterpret_cast<const void *>(thread.wait_detail);
  const char *what = static_cast<const CWaitKind *>(thread.wait.kind)->what;
  char name[100];
  if (!variable_name(reinterpret_cast<uintptr_t>(object), name, sizeof name))
    std::snprintf(name, sizeof name, "%p", object);
  Holder holder = {object};
  thread_each_in_snapshot(look_for_holder, &holder);
  if (holder.id)
    std::snprintf(to, bytes, "the %s `%s`, which thread %s took in %s", what, name, thread_name(holder.id).text,
                  place_text(holder.place).text);
  else
    std::snprintf(to, bytes, "the %s `%s`", what, name);
}

void c_wait_withdrawn(Thread *thread, Woken &) {
  static_cast<CWaiters *>(thread->wait.object)->count.fetch_sub(1, std::memory_order_relaxed);
}

void c_unseen_from_now_on() { unseen_ever.store(true, std::memory_order_relaxed); }

extern "C" Thread *skein_c_wait_call(Thread *self, CWait *wait, uint64_t until_ns) {
  CWaiters &waiters = c_waiters_of(wait->object);
  const void *gave_back = nullptr;
  bool waits;
  {
    Guard guard(bucket_of(&waiters));
    waiters.count.fetch_add(1); // a locked instruction; the partner is libc's, in the unlock
    wait->result = wait->attempt(wait);
    waits = wait->result == EBUSY;
    if (waits) {
      self->wait_detail = reinterpret_cast<uint64_t>(wait->object);
      gave_back = wait->gives_back;
      wait_begin(self, *wait->kind, &waiters.ring, until_ns);
    } else {
      waiters.count.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (gave_back)
    c_wake(gave_back, false);
  return waits ? wait_next() : answer(self, 0);
}

/// For the C library's functions, which are no points of skein_cancel.
extern "C" Thread *skein_c_yield_call(Thread *self) { return thread_yield(self); }

int c_wait(Thread *self, CWait &wait) {
  const uint64_t begun_ns = clock_ns();
  uint64_t look_ns = look_least_ns, say_ns = begun_ns + long_ns;
  c_lock_bind(self);
  for (;;) {
    const bool unseen =
        wait.again && (wait.unseen || kernel_threads_ever() || unseen_ever.load(std::memory_order_relaxed));
    const uint64_t until_ns = unseen ? std::min(wait.deadline_ns, clock_ns() + look_ns) : wait.deadline_ns;
    look_ns = std::min(2 * look_ns, look_most_ns);
    const int woken = skein_c_wait_slow(&wait, until_ns);
    if (wait.result != EBUSY)
      break;
    const uint64_t now_ns = clock_ns();
    if (!wait.again) {
      wait.result = woken == SKEIN_ETIME ? ETIMEDOUT : 0;
      break;
    }
    if (now_ns >= wait.deadline_ns) { // it may have been woken at the last moment
      wait.result = wait.attempt(&wait);
      if (wait.result == EBUSY)
        wait.result = ETIMEDOUT;
      break;
    }
    if (unseen && now_ns >= say_ns) {
      say_long(self, wait, now_ns - begun_ns);
      say_ns = forever;
    }
  }
  c_lock_unbind(self);
  return wait.result;
}

void c_wake_slow(const void *object, bool all) {
  CWaiters &waiters = c_waiters_of(object);
  Woken woken;
  {
    Guard guard(bucket_of(&waiters));
    for (Thread *thread = waiters.ring.first(), *next; thread; thread = next) {
      next = waiters.ring.after(thread);
      if (thread->wait_detail != reinterpret_cast<uint64_t>(object))
        continue;
      waiters.ring.take(thread);
      waiters.count.fetch_sub(1, std::memory_order_relaxed);
      woken.push_back(&thread->wait.record);
      if (!all)
        break;
    }
  }
  wait_end_all(woken, 1); // not SKEIN_OK: their error texts stay
}

bool c_lock_held(const void *object, const Thread *self) {
  Holder holder = {object, self};
  thread_each(look_for_holder, &holder);
  return holder.id != 0;
}

bool c_lock_may_block(const void *place, bool condition) {
  if (place_compiled && place_compiled(reinterpret_cast<uintptr_t>(place)))
    return true;
  Dl_info info;
  return condition && dladdr(place, &info) != 0 && info.dli_fname &&
         (std::strstr(info.dli_fname, "/libstdc++.so") || std::strstr(info.dli_fname, "/libc++.so"));
}

void c_lock_stands(const Thread *self, const void *object, const CWaitKind &kind, const void *place) {
  Holder holder = {object};
  thread_each(look_for_holder, &holder);
  if (holder.id && (!holder.runs || holder.id == self->id))
    log("thread %s waits in %s, called in %s, for %s, which thread %s took in %s and does not run: worker %u stands "
        "until it gives it back, since a library that skeincc did not compile asks",
        thread_name(self->id).text, kind.call, place_text(place).text, object_text(kind.what, object).text,
        thread_name(holder.id).text, place_text(holder.place).text, self->worker);
}

void c_lock_own(const Thread *self, const void *object, const CWaitKind &kind, const void *place) {
  const Hold *held = nullptr;
  hold_each(*self, [&](const Hold &hold) {
    held = hold.object == object ? &hold : held;
    return false;
  });
  if (held)
    log("%s: thread %s, in %s, asks for %s, which it holds already, since %s: it waits for itself", kind.call,
        thread_name(self->id).text, place_text(place).text, object_text(kind.what, object).text,
        place_text(held->place).text);
}

void c_locks_after_fork() {
  for (CWaiters &waiters : c_waiters)
    new (&waiters) CWaiters();
}

} // namespace skein
