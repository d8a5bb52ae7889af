// See refusal.h.
#include "migrate/refusal.h"

#include <stdarg.h>
#include <stdio.h>

namespace skein {

bool Refusal::set(int why, const char *format, ...) {
  code = why;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return false;
}

} // namespace skein
