// Functions of the C library that return a block: their texts lie on the private heap, too.
#include "base/program_heap.h"

#include <skein/heap.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

/// A copy on the private heap of what libc allocated, which is freed.
char *taken_over(char *text) {
  char *copy = text ? skein_strdup(text) : nullptr;
  const int before = errno;
  __skein_program_free(text);
  errno = before;
  return copy;
}

} // namespace

extern "C" {

char *skein_strndup(const char *text, size_t most) {
  const size_t length = strnlen(text, most);
  auto *copy = static_cast<char *>(skein_malloc(length + 1));
  if (copy) {
    memcpy(copy, text, length);
    copy[length] = 0;
  }
  return copy;
}
char *skein_strdup(const char *text) { return skein_strndup(text, ~size_t{0}); }

int skein_vasprintf(char **to, const char *format, va_list arguments) {
  char *text = nullptr;
  const int length = vasprintf(&text, format, arguments);
  if (length < 0)
    return length;
  // The text may hold zero bytes.
  auto *copy = static_cast<char *>(skein_malloc(static_cast<size_t>(length) + 1));
  if (copy)
    memcpy(copy, text, static_cast<size_t>(length) + 1);
  __skein_program_free(text);
  *to = copy;
  return copy ? length : -1;
}
int skein_asprintf(char **to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = skein_vasprintf(to, format, arguments);
  va_end(arguments);
  return length;
}

ssize_t skein_getdelim(char **line, size_t *capacity, int delimiter, FILE *from) {
  if (!line || !capacity) {
    errno = EINVAL;
    return -1;
  }
  char *text = nullptr;
  size_t room = 0;
  const ssize_t length = getdelim(&text, &room, delimiter, from);
  const size_t bytes = length < 0 ? 0 : static_cast<size_t>(length) + 1;
  const int before = errno;
  if (!*line || *capacity < bytes) {
    const size_t wanted = bytes < 120 ? 120 : bytes + bytes / 2;
    auto *larger = static_cast<char *>(skein_realloc(*line, wanted));
    if (!larger) {
      __skein_program_free(text);
      return -1;
    }
    *line = larger;
    *capacity = wanted;
  }
  if (bytes)
    memcpy(*line, text, bytes);
  __skein_program_free(text);
  errno = before;
  return length;
}
ssize_t skein_getline(char **line, size_t *capacity, FILE *from) { return skein_getdelim(line, capacity, '\n', from); }

char *skein_realpath(const char *path, char *resolved) {
  return resolved ? realpath(path, resolved) : taken_over(realpath(path, nullptr));
}
char *skein_getcwd(char *to, size_t bytes) {
  if (to || bytes)
    return to ? getcwd(to, bytes) : taken_over(getcwd(nullptr, bytes));
  return taken_over(getcwd(nullptr, 0));
}
}
