// Once. The function runs in a frame of the program (skein_once is inline), so it may block and its thread's stack may
// move; but the thread does not leave its node meanwhile, since it holds what others here wait for.
//
//     word:  0                    nobody has begun
//            runner's id << 1     it runs
//            1                    done
#include "sync/hold_reports.h"
#include "sync/names.h"
#include "sync/quick_locks.h"

#include <cstdio>

namespace skein {

namespace {

constexpr uint64_t done = 1;
constexpr int yours = -1; // skein_once_begin_: the caller is to call the function

void describe_once(const Thread &thread, char *to, size_t bytes) {
  auto *once = awaited<skein_once_t>(thread);
  std::snprintf(to, bytes, "%s, whose function thread %s runs", object_text("once", once).text,
                thread_name(word_of(once->word_) >> 1).text);
}

constexpr WaitKind once_kind = {.call = "skein_once", .describe = describe_once};

void run_by(Thread *thread, skein_once_t *once) {
  hold_add(thread, once, place_of(thread), HoldKind::once);
  set_word(once->word_, thread->id << 1);
}

} // namespace

extern "C" {

int skein_once_begin_slow(skein_once_t *once);

int skein_once_begin__quick(skein_once_t *once) {
  if (__builtin_expect(word_acquire(once->word_) == done, 1))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_once_begin_slow(once);
}

Thread *skein_once_begin_call(Thread *self, uint64_t argument) {
  auto *once = object_of<skein_once_t>(argument);
  if (word_of(once->word_) == self->id << 1)
    return answer(self,
                  misuse(self, SKEIN_ELOCK, "skein_once: the function of %s, which thread %s runs, calls it in %s",
                         object_text("once", once).text, thread_name(self->id).text, place_text(place_of(self)).text));
  int code = SKEIN_OK;
  const bool taken = take_or_wait(self, once_kind, "once", once, forever, [&] {
    const uint64_t word = word_acquire(once->word_);
    if (word == 0) {
      run_by(self, once);
      code = yours;
    }
    return word == 0 || word == done;
  });
  return taken ? answer(self, code) : self;
}

Thread *skein_once_end_call(Thread *self, uint64_t argument) {
  auto *once = object_of<skein_once_t>(argument);
  hold_remove(self, once);
  Woken woken;
  {
    Guard guard(bucket_of(once));
    set_word(once->word_, done);
    while (Thread *thread = ring_of(once).pop_front())
      woken.push_back(&thread->wait.record);
  }
  wait_end_all(woken, SKEIN_OK);
  return answer(self, SKEIN_OK);
}

/// The function threw an exception: the next thread is to call it.
Thread *skein_once_abandon_call(Thread *self, uint64_t argument) {
  auto *once = object_of<skein_once_t>(argument);
  hold_remove(self, once);
  Thread *next;
  {
    Guard guard(bucket_of(once));
    next = ring_of(once).pop_front();
    if (next)
      run_by(next, once);
    else
      set_word(once->word_, 0);
  }
  if (next)
    wait_end(next, static_cast<uint64_t>(int64_t{yours}));
  return answer(self, SKEIN_OK);
}

} // extern "C"

} // namespace skein
