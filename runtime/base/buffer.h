// A block of memory from malloc that grows: a message under construction. `take` hands it to the caller, which frees
// it.
#ifndef SKEIN_BASE_BUFFER_H
#define SKEIN_BASE_BUFFER_H

#include <cstddef>

namespace skein {

class Buffer {
public:
  Buffer() = default;
  Buffer(const Buffer &) = delete;
  ~Buffer();
  unsigned char *data() const { return memory; }
  size_t size() const { return used; }
  void clear() { used = 0; }
  /// Adds `bytes` that are not initialised; null without memory (the buffer is then unchanged). `likely` tells how many
  /// more will come.
  unsigned char *extend(size_t bytes, size_t likely = 0);
  void shrink(size_t to) { used = to; }
  unsigned char *take();
  /// Continues with a block that `take` gave, or another block from malloc, of so many bytes, to be written from its
  /// beginning. The buffer must have none.
  void reuse(unsigned char *block, size_t bytes) {
    memory = block;
    capacity = bytes;
    used = 0;
  }
  size_t room() const { return capacity; }

private:
  unsigned char *memory = nullptr;
  size_t used = 0;
  size_t capacity = 0;
};

/// Memory of buffers that a kernel thread uses again, while it is still in the cache. To be a __thread variable, zero
/// at first.
struct KeptBuffers {
  static constexpr unsigned most = 2;
  static constexpr size_t bytes_most = 64 << 10;
  struct {
    unsigned char *memory;
    size_t bytes;
  } free[most];
  unsigned count;

  /// The buffer must have no memory.
  void give_to(Buffer &to) {
    if (count) {
      count--;
      to.reuse(free[count].memory, free[count].bytes);
    }
  }
  /// Keeps the buffer's memory, unless that is too much.
  void keep_from(Buffer &from) {
    if (count == most || from.room() == 0 || from.room() > bytes_most)
      return;
    const size_t bytes = from.room();
    free[count++] = {from.take(), bytes};
  }
};

} // namespace skein

#endif
