// See holds.h.
#include "sync/holds.h"

#include "base/log.h"
#include "sync/names.h"

#include <cstdio>

namespace skein {

bool hold_remove_slow(Thread *thread, const void *object) {
  for (uint8_t i = thread->hold_named; i-- > 0;)
    if (thread->holds[i].object == object) {
      thread->hold_named--;
      for (; i < thread->hold_named; i++)
        thread->holds[i] = thread->holds[i + 1];
      return true;
    }
  if (thread->hold_unnamed == 0)
    return false;
  thread->hold_unnamed--;
  return true;
}

const Hold *hold_find(const Thread *thread, const void *object, HoldKind kind) {
  for (uint8_t i = thread->hold_named; i-- > 0;)
    if (thread->holds[i].object == object && thread->holds[i].kind == kind)
      return &thread->holds[i];
  return nullptr;
}

const char *hold_kind_name(HoldKind kind) {
  static const char *const names[] = {"mutex", "spin lock", "reader/writer lock (to read)",
                                      "reader/writer lock (to write)", "once"};
  return names[static_cast<size_t>(kind)];
}

bool holds_refuse(const Thread &thread, char *to, size_t bytes) {
  if (!holds_any(thread))
    return false;
  if (thread.hold_named == 0) {
    std::snprintf(to, bytes, "it holds %u locks of this node", thread.hold_unnamed);
    return true;
  }
  const Hold &last = thread.holds[thread.hold_named - 1];
  std::snprintf(to, bytes, "it holds %s, taken in %s, which stays on this node",
                object_text(hold_kind_name(last.kind), last.object).text, place_text(last.place).text);
  return true;
}

void holds_relocate(Thread &thread, uintptr_t begin, uintptr_t end, intptr_t delta) {
  for (uint8_t i = 0; i < thread.hold_named; i++) {
    auto &object = thread.holds[i].object;
    const auto address = reinterpret_cast<uintptr_t>(object);
    if (address - begin < end - begin)
      object = reinterpret_cast<void *>(address + static_cast<uintptr_t>(delta));
  }
}

void holds_at_end(const Thread &thread) {
  for (uint8_t i = 0; i < thread.hold_named; i++)
    log("thread %s ended while it held %s, taken in %s: whoever waits for it will never get it",
        thread_name(thread.id).text, object_text(hold_kind_name(thread.holds[i].kind), thread.holds[i].object).text,
        place_text(thread.holds[i].place).text);
  if (thread.hold_unnamed)
    log("thread %s ended while it held %u more locks", thread_name(thread.id).text, thread.hold_unnamed);
}

} // namespace skein
