// A copy of a text in a block of its own, which the caller frees. strdup would take the block from the program's
// malloc, if it defines one (program_heap.h), but the runtime frees with libc's.
#ifndef SKEIN_BASE_TEXT_H
#define SKEIN_BASE_TEXT_H

#include <cstdlib>
#include <cstring>

namespace skein {

/// Null without memory.
inline char *text_copy(const char *text) {
  const size_t bytes = std::strlen(text) + 1;
  auto *copy = static_cast<char *>(std::malloc(bytes));
  return copy ? static_cast<char *>(std::memcpy(copy, text, bytes)) : nullptr;
}

} // namespace skein

#endif
