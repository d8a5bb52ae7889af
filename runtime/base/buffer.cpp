// See buffer.h.
#include "base/buffer.h"

#include <cstdlib>

namespace skein {

Buffer::~Buffer() { std::free(memory); }

unsigned char *Buffer::extend(size_t bytes, size_t likely) {
  if (used + bytes > capacity) {
    size_t wanted = used + bytes + likely > 2 * capacity ? used + bytes + likely : 2 * capacity;
    auto *larger = static_cast<unsigned char *>(std::realloc(memory, wanted));
    if (larger == nullptr)
      return nullptr;
    memory = larger;
    capacity = wanted;
  }
  unsigned char *at = memory + used;
  used += bytes;
  return at;
}

unsigned char *Buffer::take() {
  unsigned char *taken = memory;
  memory = nullptr;
  used = capacity = 0;
  return taken;
}

} // namespace skein
