// Reasons why moves are refused, and how often; see refusal.h.
#include "migrate/refusal.h"

#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"

#include <algorithm>
#include <ctype.h>
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

namespace {

// Copies a text with `0x...` in place of each address, so that refusals for one reason count as one whatever the
// addresses are.
void copy_without_addresses(const char *text, char *to, size_t bytes) {
  size_t length = 0;
  auto put = [&](char c) { length + 1 < bytes ? void(to[length++] = c) : void(); };
  while (*text) {
    const bool address = text[0] == '0' && text[1] == 'x' && isxdigit((unsigned char)text[2]);
    put(*text++);
    if (!address)
      continue;
    put(*text++);
    for (int i = 0; i < 3; ++i)
      put('.');
    while (isxdigit((unsigned char)*text))
      ++text;
  }
  to[length] = 0;
}

/// For all counts. With a lock of its own, which does not begin as zeros, each would be 33 KiB of a program's file.
constinit SpinLock counts_lock{Rank::leaf};

} // namespace

bool RefusalCounts::add(const char *with_addresses) {
  char text[sizeof Reason::text];
  copy_without_addresses(with_addresses, text, sizeof text);
  Guard guard(counts_lock);
  ++refused;
  for (unsigned i = 0; i < reason_count; ++i)
    if (strcmp(reasons[i].text, text) == 0) {
      ++reasons[i].count;
      return false;
    }
  if (reason_count == reasons_max) {
    ++reasons[reasons_max - 1].count;
    return false;
  }
  Reason &reason = reasons[reason_count++];
  reason.count = 1;
  bool last = reason_count == reasons_max;
  snprintf(reason.text, sizeof reason.text, "%s", last ? "(other reasons)" : text);
  return true;
}

void RefusalCounts::print(const char *who, const char *what) const {
  const Reason *sorted[reasons_max];
  for (unsigned i = 0; i < reason_count; ++i)
    sorted[i] = &reasons[i];
  std::sort(sorted, sorted + reason_count,
            [](const Reason *a, const Reason *b) { return a->count != b->count ? a->count > b->count : a < b; });
  for (unsigned i = 0; i < reason_count; ++i)
    report("%s: %s %llu times: %s", who, what, (unsigned long long)sorted[i]->count, sorted[i]->text);
}

bool RefusingWords::add(const Refusal &found) {
  if (!found_any)
    why = found;
  found_any = true;
  if (knobs.check < Checks::pointers)
    return false;
  static RefusalCounts named;
  if (named.add(found.text)) {
    if (found.rule != nullptr)
      log("check: %s (rule %s of skein-check)", found.text, found.rule);
    else
      log("check: %s", found.text);
  }
  return true;
}

} // namespace skein
