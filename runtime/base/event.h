// Events: how a lower room reaches an upper one. The room that owns an event fires it; rooms above add handlers at
// start, before the first thread runs, so firing takes no lock. An event without a handler costs a load and a branch.
#ifndef SKEIN_BASE_EVENT_H
#define SKEIN_BASE_EVENT_H

#include "base/assert.h"

namespace skein {

template <class... A> class Event {
public:
  using Handler = void (*)(A...);

  /// With `unless_plain` the handler has nothing to do in the plain case, which the room that fires the event defines,
  /// and need not be called then.
  void add(Handler handler, bool unless_plain = false) {
    for (unsigned i = 0; i < count_; i++)
      if (handlers_[i] == handler)
        return;
    SKEIN_ASSERT(count_ < handlers_max, "more than %u handlers of one event: raise handlers_max", handlers_max);
    handlers_[count_++] = handler;
    for_plain_ += !unless_plain;
  }
  void operator()(A... arguments) const {
    for (unsigned i = 0; i < count_; i++)
      handlers_[i](arguments...);
  }
  explicit operator bool() const { return count_ != 0; }
  /// Whether some handler has something to do even in the plain case.
  bool for_plain() const { return for_plain_ != 0; }

private:
  static constexpr unsigned handlers_max = 16;
  Handler handlers_[handlers_max] = {};
  unsigned count_ = 0, for_plain_ = 0;
};

} // namespace skein

#endif
