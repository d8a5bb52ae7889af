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
  }                                                                                                                    \
  SKEIN_OVERLOAD TO char *strncat(TO char *to, const FROM char *from, size_t most) {                                   \
    const size_t before = strlen(to), length = strnlen(from, most);                                                    \
    memcpy(to + before, from, length);                                                                                 \
    to[before + length] = 0;                                                                                           \
    return to;                                                                                                         \
  }

/* A bit for each byte of a text. */
struct bytes {
  uint64_t words[4];
};
static int has(const struct bytes *set, unsigned char c) { return set->words[c / 64] >> c % 64 & 1; }

#define SEARCH(A, B)                                                                                                   \
  SKEIN_OVERLOAD static size_t span(const A char *text, const B char *of, int in) {                                    \
    struct bytes set = {0};                                                                                            \
    for (size_t at = 0, end = strlen(of), part; at < end; at += part) {                                                \
      char piece[piece_bytes];                                                                                         \
      memcpy(piece, of + at, part = less(end - at, piece_bytes));                                                      \
      for (size_t i = 0; i < part; i++)                                                                                \
        set.words[(unsigned char)piece[i] / 64] |= (uint64_t)1 << (unsigned char)piece[i] % 64;                        \
    }                                                                                                                  \
    const size_t end = strlen(text);                                                                                   \
    for (size_t at = 0, part; at < end; at += part) {                                                                  \
      char piece[piece_bytes];                                                                                         \
      memcpy(piece, text + at, part = less(end - at, piece_bytes));                                                    \
      for (size_t i = 0; i < part; i++)                                                                                \
        if (has(&set, (unsigned char)piece[i]) != in)                                                                  \
          return at + i;                                                                                               \
    }                                                                                                                  \
    return end;                                                                                                        \
  }                                                                                                                    \
  SKEIN_OVERLOAD size_t strspn(const A char *text, const B char *of) { return span(text, of, 1); }                     \
  SKEIN_OVERLOAD size_t strcspn(const A char *text, const B char *of) { return span(text, of, 0); }                    \
  SKEIN_OVERLOAD A char *strpbrk(const A char *in, const B char *of) {                                                 \
    const A char *found = in + span(in, of, 0);                                                                        \
    return *found ? (A char *)found : NULL;                                                                            \
  }                                                                                                                    \
  SKEIN_OVERLOAD A char *strstr(const A char *in, const B char *text) {                                                \
    const size_t bytes = strlen(text), all = strlen(in);                                                               \
    if (bytes == 0)                                                                                                    \
      return (A char *)in;                                                                                             \
    const char first = *text;                                                                                          \
    for (size_t at = 0; at + bytes <= all; at++) {                                                                     \
      const A char *found = memchr(in + at, first, all - at - bytes + 1);                                              \
      if (!found)                                                                                                      \
        break;                                                                                                         \
      if (memcmp(found, text, bytes) == 0)                                                                             \
        return (A char *)found;                                                                                        \
      at = (size_t)(found - in);                                                                                       \
    }                                                                                                                  \
    return NULL;                                                                                                       \
  }

#define PLAIN
COMPARE(shared, shared)
COMPARE(shared, PLAIN)
COMPARE(PLAIN, shared)
COPY(shared, shared)
COPY(shared, PLAIN)
COPY(PLAIN, shared)
SEARCH(shared, shared)
SEARCH(shared, PLAIN)
SEARCH(PLAIN, shared)
