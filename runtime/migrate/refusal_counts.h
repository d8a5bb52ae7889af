// How often moves were refused, by the text of the refusal: for reports at exit.
#ifndef SKEIN_MIGRATE_REFUSAL_COUNTS_H
#define SKEIN_MIGRATE_REFUSAL_COUNTS_H

#include "base/lock.h"
#include "migrate/refusal.h"

#include <stdint.h>

namespace skein {

class RefusalCounts {
public:
  void add(const char *text);
  uint64_t all() const { return refused; }
  // "WHO: refused 3 times: TEXT", a line a text.
  void print(const char *who) const;

private:
  struct Reason {
    uint64_t count;
    char text[sizeof(Refusal::text)];
  };
  static constexpr unsigned reasons_max = 64;
  SpinLock lock{Rank::leaf};
  uint64_t refused = 0;
  Reason reasons[reasons_max]; // the last one collects what has no room
  unsigned reason_count = 0;
};

} // namespace skein

#endif
