// Holds in words; see hold_reports.h.
#include "sync/hold_reports.h"

#include "base/log.h"
#include "base/node.h"
#include "sync/names.h"

#include <cstdio>
#include <skein/skein.h>

namespace skein {

static const char *hold_kind_name(HoldKind kind) {
  static const char *const names[] = {"mutex",
                                      "spin lock",
                                      "reader/writer lock (to read)",
                                      "reader/writer lock (to write)",
                                      "once",
                                      "pthread_mutex_t",
                                      "pthread_spinlock_t",
                                      "pthread_rwlock_t (to read)",
                                      "pthread_rwlock_t (to write)",
                                      "lock of the FILE",
                                      "sem_t",
                                      "guard of the static variable",
                                      "SKEIN_PINNED region"};
  return names[static_cast<size_t>(kind)];
}

bool holds_refuse(const Thread &thread, char *to, size_t bytes) {
  if (!holds_any(thread))
    return false;
  const Hold *last = hold_last(&thread);
  if (!last)
    std::snprintf(to, bytes, "it holds %u locks of this node", thread.holds.unnamed);
  else
    std::snprintf(to, bytes, "it holds %s, taken in %s, which stays on this node",
                  object_text(hold_kind_name(last->kind), last->object).text, place_text(last->place).text);
  return true;
}

const char *pinned_region(const Thread &thread) {
  const char *place = nullptr;
  if (holds_have_names(thread))
    hold_each(thread, [&](const Hold &hold) {
      if (hold.kind == HoldKind::region)
        place = static_cast<const char *>(hold.object);
      return false;
    });
  return place;
}

void holds_at_end(const Thread &thread) {
  const uint64_t itself = thread.daemon ? 0 : 1; // it is still counted
  if (node.count == 1 && threads_living() == itself)
    return; // the program ends now: mostly main has returned, and nobody is left who could wait
  hold_each(thread, [&](const Hold &hold) {
    // A semaphore others may post, and mostly do; for a region nobody waits.
    if (hold.kind != HoldKind::c_semaphore && hold.kind != HoldKind::region)
      log("thread %s ended while it held %s, taken in %s: whoever waits for it will never get it",
          thread_name(thread.id).text, object_text(hold_kind_name(hold.kind), hold.object).text,
          place_text(hold.place).text);
    return false;
  });
  if (thread.holds.unnamed)
    log("thread %s ended while it held %u more locks", thread_name(thread.id).text, thread.holds.unnamed);
}

} // namespace skein

using namespace skein;

struct skein_pin_ skein_pin_begin_(const char *place) {
  if (Thread *self = thread_current())
    hold_add(self, const_cast<char *>(place), __builtin_return_address(0), HoldKind::region);
  return {place, 1};
}

void skein_pin_end_(const struct skein_pin_ *pin) {
  if (Thread *self = thread_current())
    hold_remove(self, pin->place);
}
