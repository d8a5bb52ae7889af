/* The memory and string functions of <string.h> where an operand lies in shared memory: same names, same meaning.
 * Included by <skein/shared.h>.
 *
 * Where the memory can be addressed here they are the library's own; else they copy pieces of at most 64 bytes for
 * strings, and memcpy, memmove and memset of any size in one message. All may block and migrate then. */
#ifndef SKEIN_SHARED_STRING_H
#define SKEIN_SHARED_STRING_H

#include <skein/shared.h>
#include <string.h>

/* C23's functions that keep const may be macros (glibc 2.43), which overloads cannot be. */
#undef memchr
#undef strchr
#undef strrchr
#undef strpbrk
#undef strstr

#ifdef __cplusplus
extern "C++" {
#define SKEIN_OVERLOAD
#else
#define SKEIN_OVERLOAD __attribute__((overloadable))
#endif

/* The kinds of operands: s is shared, p plain. */
#define SKEIN_STRING(result, name, kinds, parameters)                                                                  \
  SKEIN_OVERLOAD result name parameters __asm__("__skein_" #name "_" #kinds);
#define SKEIN_COPY(result, name, parameters)                                                                           \
  static inline SKEIN_OVERLOAD __attribute__((always_inline)) result name parameters {                                 \
    __builtin_##name(to, from, bytes);                                                                                 \
    return to;                                                                                                         \
  }

SKEIN_COPY(skein_shared void *, memcpy, (skein_shared void *to, const skein_shared void *from, size_t bytes))
SKEIN_COPY(skein_shared void *, memcpy, (skein_shared void *to, const void *from, size_t bytes))
SKEIN_COPY(void *, memcpy, (void *to, const skein_shared void *from, size_t bytes))
SKEIN_COPY(skein_shared void *, memmove, (skein_shared void *to, const skein_shared void *from, size_t bytes))
SKEIN_COPY(skein_shared void *, memmove, (skein_shared void *to, const void *from, size_t bytes))
SKEIN_COPY(void *, memmove, (void *to, const skein_shared void *from, size_t bytes))
static inline SKEIN_OVERLOAD __attribute__((always_inline)) skein_shared void *memset(skein_shared void *to, int byte,
                                                                                      size_t bytes) {
  __builtin_memset(to, byte, bytes);
  return to;
}

SKEIN_STRING(int, memcmp, ss, (const skein_shared void *a, const skein_shared void *b, size_t bytes))
SKEIN_STRING(int, memcmp, sp, (const skein_shared void *a, const void *b, size_t bytes))
SKEIN_STRING(int, memcmp, ps, (const void *a, const skein_shared void *b, size_t bytes))
SKEIN_STRING(skein_shared void *, memchr, s, (const skein_shared void *in, int byte, size_t bytes))

SKEIN_STRING(size_t, strlen, s, (const skein_shared char *text))
SKEIN_STRING(size_t, strnlen, s, (const skein_shared char *text, size_t most))
SKEIN_STRING(skein_shared char *, strchr, s, (const skein_shared char *in, int c))
SKEIN_STRING(skein_shared char *, strrchr, s, (const skein_shared char *in, int c))

SKEIN_STRING(skein_shared char *, strcpy, ss, (skein_shared char *to, const skein_shared char *from))
SKEIN_STRING(skein_shared char *, strcpy, sp, (skein_shared char *to, const char *from))
SKEIN_STRING(char *, strcpy, ps, (char *to, const skein_shared char *from))
SKEIN_STRING(skein_shared char *, strncpy, ss, (skein_shared char *to, const skein_shared char *from, size_t most))
SKEIN_STRING(skein_shared char *, strncpy, sp, (skein_shared char *to, const char *from, size_t most))
SKEIN_STRING(char *, strncpy, ps, (char *to, const skein_shared char *from, size_t most))
SKEIN_STRING(skein_shared char *, strcat, ss, (skein_shared char *to, const skein_shared char *from))
SKEIN_STRING(skein_shared char *, strcat, sp, (skein_shared char *to, const char *from))
SKEIN_STRING(char *, strcat, ps, (char *to, const skein_shared char *from))
SKEIN_STRING(int, strcmp, ss, (const skein_shared char *a, const skein_shared char *b))
SKEIN_STRING(int, strcmp, sp, (const skein_shared char *a, const char *b))
SKEIN_STRING(int, strcmp, ps, (const char *a, const skein_shared char *b))
SKEIN_STRING(int, strncmp, ss, (const skein_shared char *a, const skein_shared char *b, size_t most))
SKEIN_STRING(int, strncmp, sp, (const skein_shared char *a, const char *b, size_t most))
SKEIN_STRING(int, strncmp, ps, (const char *a, const skein_shared char *b, size_t most))

SKEIN_STRING(skein_shared char *, strncat, ss, (skein_shared char *to, const skein_shared char *from, size_t most))
SKEIN_STRING(skein_shared char *, strncat, sp, (skein_shared char *to, const char *from, size_t most))
SKEIN_STRING(char *, strncat, ps, (char *to, const skein_shared char *from, size_t most))
SKEIN_STRING(skein_shared char *, strstr, ss, (const skein_shared char *in, const skein_shared char *text))
SKEIN_STRING(skein_shared char *, strstr, sp, (const skein_shared char *in, const char *text))
SKEIN_STRING(char *, strstr, ps, (const char *in, const skein_shared char *text))
SKEIN_STRING(size_t, strspn, ss, (const skein_shared char *text, const skein_shared char *of))
SKEIN_STRING(size_t, strspn, sp, (const skein_shared char *text, const char *of))
SKEIN_STRING(size_t, strspn, ps, (const char *text, const skein_shared char *of))
SKEIN_STRING(size_t, strcspn, ss, (const skein_shared char *text, const skein_shared char *of))
SKEIN_STRING(size_t, strcspn, sp, (const skein_shared char *text, const char *of))
SKEIN_STRING(size_t, strcspn, ps, (const char *text, const skein_shared char *of))
SKEIN_STRING(skein_shared char *, strpbrk, ss, (const skein_shared char *in, const skein_shared char *of))
SKEIN_STRING(skein_shared char *, strpbrk, sp, (const skein_shared char *in, const char *of))
SKEIN_STRING(char *, strpbrk, ps, (const char *in, const skein_shared char *of))

#undef SKEIN_STRING
#undef SKEIN_COPY
#ifdef __cplusplus
} // extern "C++"
#endif
#endif
