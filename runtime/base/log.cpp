// Messages to stderr; see log.h. Formatting is libc's vsnprintf, which does not allocate for the formats used here.
#include "base/log.h"
#include "base/assert.h"
#include "base/knobs.h"
#include "base/node.h"

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace skein {

Node node;
bool nodes_left[nodes_max];

namespace {

/// One line, whole, even if write(2) is interrupted. Keeps errno: log() may be called between a failure and its report.
void write_line(int file, const char *format, va_list arguments) {
  int saved_errno = errno;
  char line[1024];
  int used = node.count > 1 ? std::snprintf(line, sizeof line, "skein[%d]: ", node.self)
                            : std::snprintf(line, sizeof line, "skein: ");
  int body = std::vsnprintf(line + used, sizeof line - static_cast<size_t>(used), format, arguments);
  size_t length = static_cast<size_t>(used + (body > 0 ? body : 0));
  if (length > sizeof line - 1)
    length = sizeof line - 1;
  line[length++] = '\n';
  for (size_t done = 0; done < length;) {
    ssize_t written = write(file, line + done, length - done);
    if (written < 0 && errno != EINTR)
      break;
    if (written > 0)
      done += static_cast<size_t>(written);
  }
  errno = saved_errno;
}

} // namespace

void log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(STDERR_FILENO, format, arguments);
  va_end(arguments);
}

void report(const char *format, ...) {
  int file = *knobs.report ? open(knobs.report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : STDERR_FILENO;
  if (file < 0)
    return;
  va_list arguments;
  va_start(arguments, format);
  write_line(file, format, arguments);
  va_end(arguments);
  if (file != STDERR_FILENO)
    close(file);
}

void fatal(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(STDERR_FILENO, format, arguments);
  va_end(arguments);
  _exit(fatal_status);
}

void assertion_failed(const char *file, int line, const char *condition, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  log("%s:%d: %s (this should hold: %s)", file, line, text, condition);
  std::abort();
}

} // namespace skein
