/* The functions of <skein/shared_string.h> that are no intrinsics.
 *
 * Each asks first whether its operands can be addressed here, and is the C library's function then. Else it works on
 * copies. A string's end is looked for in steps that stay within a line of 64 bytes: blocks of shared memory are whole
 * lines, so a line that holds one byte of the string may be read to its end. */
#include <skein/shared.h>

enum { line_bytes = 64, piece_bytes = 256 };

static size_t less(size_t a, size_t b) { return a < b ? a : b; }

SKEIN_OVERLOAD size_t strnlen(const shared char *text, size_t most) {
  const char *here = skein_local(text);
  if (here)
    return strnlen(here, most);
  for (size_t before = 0; before < most;) {
    char line[line_bytes];
    const size_t part = less(line_bytes - (uintptr_t)(text + before) % line_bytes, most - before);
    memcpy(line, text + before, part);
    const size_t length = strnlen(line, part);
    before += length;
    if (length < part)
      return before;
  }
  return most;
}

SKEIN_OVERLOAD size_t strlen(const shared char *text) { return strnlen(text, SIZE_MAX); }

/* Not inlined: joined with its caller's sums, the distance found - line might cross a migration point as half of one.
 */
SKEIN_OVERLOAD __attribute__((noinline)) shared void *memchr(const shared void *in, int byte, size_t bytes) {
  const shared unsigned char *at = in;
  for (size_t before = 0; before < bytes;) {
    unsigned char line[line_bytes]; /* the byte may come before the block's end, and `bytes` lie behind it */
    const size_t part = less(line_bytes - (uintptr_t)(at + before) % line_bytes, bytes - before);
    memcpy(line, at + before, part);
    const unsigned char *found = memchr(line, byte, part);
    if (found)
      return (shared void *)(at + before + (found - line));
    before += part;
  }
  return NULL;
}

SKEIN_OVERLOAD shared char *strchr(const shared char *in, int c) { return memchr(in, c, strlen(in) + 1); }

SKEIN_OVERLOAD shared char *strrchr(const shared char *in, int c) {
  const size_t bytes = strlen(in) + 1;
  const shared char *last = NULL;
  for (size_t at = 0; at < bytes; at = (size_t)(last - in) + 1) {
    const shared char *found = memchr(in + at, c, bytes - at);
    if (!found)
      break;
    last = found;
  }
  return (shared char *)last;
}

#define COMPARE(A, B)                                                                                                  \
  SKEIN_OVERLOAD int memcmp(const A void *a, const B void *b, size_t bytes) {                                          \
    for (size_t before = 0; before < bytes; before += piece_bytes) {                                                   \
      char left[piece_bytes], right[piece_bytes];                                                                      \
      const size_t part = less(bytes - before, piece_bytes);                                                           \
      memcpy(left, (const A char *)a + before, part);                                                                  \
      memcpy(right, (const B char *)b + before, part);                                                                 \
      const int order = memcmp(left, right, part);                                                                     \
      if (order)                                                                                                       \
        return order;                                                                                                  \
    }                                                                                                                  \
    return 0;                                                                                                          \
  }                                                                                                                    \
  SKEIN_OVERLOAD int strncmp(const A char *a, const B char *b, size_t most) {                                          \
    return memcmp(a, b, less(less(strnlen(a, most), strnlen(b, most)) + 1, most)); /* one end at least is compared */  \
  }                                                                                                                    \
  SKEIN_OVERLOAD int strcmp(const A char *a, const B char *b) { return memcmp(a, b, less(strlen(a), strlen(b)) + 1); }

#define COPY(TO, FROM)                                                                                                 \
  SKEIN_OVERLOAD TO char *strcpy(TO char *to, const FROM char *from) { return memcpy(to, from, strlen(from) + 1); }    \
  SKEIN_OVERLOAD TO char *strcat(TO char *to, const FROM char *from) {                                                 \
    strcpy(to + strlen(to), from);                                                                                     \
    return to;                                                                                                         \
  }                                                                                                                    \
  SKEIN_OVERLOAD TO char *strncpy(TO char *to, const FROM char *from, size_t most) {                                   \
    const size_t length = strnlen(from, most);                                                                         \
    memcpy(to, from, length);                                                                                          \
    memset(to + length, 0, most - length);                                                                             \
    return to;                                                                                                         \
  }

#define PLAIN
COMPARE(shared, shared)
COMPARE(shared, PLAIN)
COMPARE(PLAIN, shared)
COPY(shared, shared)
COPY(shared, PLAIN)
COPY(PLAIN, shared)
