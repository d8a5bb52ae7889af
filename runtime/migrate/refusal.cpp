// See refusal.h.
#include "migrate/refusal.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace skein {

bool Refusal::set(int why, const char *format, ...) {
  code = why;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return false;
}

void RefusalCounts::add(const char *text) {
  Guard guard(lock);
  ++refused;
  for (unsigned i = 0; i < reason_count; ++i)
    if (strcmp(reasons[i].text, text) == 0) {
      ++reasons[i].count;
      return;
    }
  if (reason_count == reasons_max) {
    ++reasons[reasons_max - 1].count;
    return;
  }
  Reason &reason = reasons[reason_count++];
  reason.count = 1;
  bool last = reason_count == reasons_max;
  snprintf(reason.text, sizeof reason.text, "%s", last ? "(other reasons)" : text);
}

void RefusalCounts::print(const char *who) const {
  for (unsigned i = 0; i < reason_count; ++i)
    report("%s: refused %llu times: %s", who, (unsigned long long)reasons[i].count, reasons[i].text);
}

} // namespace skein
