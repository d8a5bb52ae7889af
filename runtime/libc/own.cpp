// In static programs libc's functions of these names are the program's, if it defines them (next.cpp). These are the
// ones that the runtime uses while there are no private variables, or while a thread moves, and that programs do
// define.
//
// The file is compiled so that loops do not become calls of these functions themselves. Copies of some size are left to
// the processor.
#include <cstddef>
#include <cstdint>

extern "C" {

void *__skein_libc_memcpy(void *to, const void *from, size_t bytes) {
  void *at = to;
  __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
  return to;
}

void *__skein_libc_memmove(void *to, const void *from, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from) >= bytes)
    return __skein_libc_memcpy(to, from, bytes);
  auto *target = static_cast<unsigned char *>(to);
  const auto *source = static_cast<const unsigned char *>(from);
  while (bytes--)
    target[bytes] = source[bytes];
  return to;
}

void *__skein_libc_memset(void *to, int byte, size_t bytes) {
  void *at = to;
  __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(byte) : "memory");
  return to;
}

int __skein_libc_memcmp(const void *left, const void *right, size_t bytes) {
  const auto *a = static_cast<const unsigned char *>(left), *b = static_cast<const unsigned char *>(right);
  for (size_t i = 0; i < bytes; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

int __skein_libc_bcmp(const void *left, const void *right, size_t bytes) {
  return __skein_libc_memcmp(left, right, bytes);
}

size_t __skein_libc_strnlen(const char *text, size_t most) {
  size_t length = 0;
  while (length < most && text[length])
    length++;
  return length;
}

size_t __skein_libc_strlen(const char *text) { return __skein_libc_strnlen(text, SIZE_MAX); }

int __skein_libc_strncmp(const char *left, const char *right, size_t most) {
  for (size_t i = 0; i < most; i++) {
    const auto a = static_cast<unsigned char>(left[i]), b = static_cast<unsigned char>(right[i]);
    if (a != b || !a)
      return a - b;
  }
  return 0;
}

int __skein_libc_strcmp(const char *left, const char *right) { return __skein_libc_strncmp(left, right, SIZE_MAX); }

char *__skein_libc_strchr(const char *text, int wanted) {
  for (;; text++) {
    if (*text == static_cast<char>(wanted))
      return const_cast<char *>(text);
    if (!*text)
      return nullptr;
  }
}

char *__skein_libc_strrchr(const char *text, int wanted) {
  const char *found = nullptr;
  for (;; text++) {
    if (*text == static_cast<char>(wanted))
      found = text;
    if (!*text)
      return const_cast<char *>(found);
  }
}
}
