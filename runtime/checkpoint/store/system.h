// System calls and memory of the writer and the reader, without libc: see the invariants in checkpoint/store.h. libc's
// functions set errno, which lies in memory that is written, and which kernel threads of ours share.
#ifndef SKEIN_CHECKPOINT_STORE_SYSTEM_H
#define SKEIN_CHECKPOINT_STORE_SYSTEM_H

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/mman.h>
#include <sys/syscall.h>

namespace skein::store {

/// What the kernel answers: at least 0, or a negative errno.
template <class... Arguments> inline long system(long number, Arguments... arguments) {
  static_assert(sizeof...(arguments) <= 6);
  const long given[7] = {(long)arguments..., 0};
  const auto at = [&](size_t i) { return i < sizeof...(arguments) ? given[i] : 0; };
  register long a4 asm("r10") = at(3);
  register long a5 asm("r8") = at(4);
  register long a6 asm("r9") = at(5);
  long answer;
  asm volatile("syscall"
               : "=a"(answer)
               : "0"(number), "D"(at(0)), "S"(at(1)), "d"(at(2)), "r"(a4), "r"(a5), "r"(a6)
               : "rcx", "r11", "memory");
  return answer;
}

/// Mappings that end together. `next`: where the next one should begin; null: anywhere.
class OwnMemory {
public:
  explicit OwnMemory(void *next = nullptr) : next_(static_cast<char *>(next)) {}
  OwnMemory(const OwnMemory &) = delete;
  OwnMemory &operator=(const OwnMemory &) = delete;
  ~OwnMemory() {
    while (count_)
      unmap(count_ - 1);
  }
  /// Zeros. Null without memory.
  void *get(size_t bytes);
  template <class T> T *get(size_t count = 1) { return static_cast<T *>(get(count * sizeof(T))); }
  /// The same mapping with at least so many bytes, perhaps elsewhere; `from` null: a new one. Null without memory.
  void *grow(void *from, size_t bytes);
  /// Leaves the mappings to the caller.
  void keep() { count_ = 0; }

private:
  struct Mapping {
    char *at;
    size_t bytes;
  };
  void unmap(size_t i) {
    system(SYS_munmap, mappings_[i].at, mappings_[i].bytes);
    mappings_[i] = mappings_[--count_];
  }
  char *next_;
  size_t count_ = 0;
  Mapping mappings_[32];
};

/// All of it, however often the kernel stops half-way. 0 or an errno; ENODATA: the file ends before.
int read_all(int file, void *to, size_t bytes, uint64_t at);
int write_all(int file, const void *from, size_t bytes, uint64_t at);

} // namespace skein::store

#endif
