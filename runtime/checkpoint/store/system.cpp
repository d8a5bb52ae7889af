// Memory and files; see system.h.
#include "checkpoint/store/system.h"

namespace skein::store {

namespace {

constexpr size_t page = 4096;

bool is_error(long answer) { return answer < 0 && answer > -4096; }

/// Calls `move(done, left)` until all is done or it fails.
template <class Move> int all(size_t bytes, Move move) {
  for (size_t done = 0; done < bytes;) {
    const long moved = move(done, bytes - done);
    if (moved == 0)
      return ENODATA;
    if (moved < 0 && moved != -EINTR)
      return static_cast<int>(-moved);
    if (moved > 0)
      done += static_cast<size_t>(moved);
  }
  return 0;
}

} // namespace

void *OwnMemory::get(size_t bytes) {
  if (count_ == sizeof mappings_ / sizeof *mappings_ || bytes > SIZE_MAX / 2)
    return nullptr;
  bytes = (bytes + page) / page * page; // never nothing
  long at = -ENOMEM;
  constexpr long may = PROT_READ | PROT_WRITE, how = MAP_PRIVATE | MAP_ANONYMOUS;
  if (next_) {
    constexpr size_t step = size_t{16} << 20;
    for (int tries = 0;
         tries < 4096 && (at = system(SYS_mmap, next_, bytes, may, how | MAP_FIXED_NOREPLACE, -1, 0)) == -EEXIST;
         tries++)
      next_ += step;
    if (!is_error(at))
      next_ = reinterpret_cast<char *>(at) + bytes;
  } else {
    at = system(SYS_mmap, nullptr, bytes, may, how, -1, 0);
  }
  if (is_error(at))
    return nullptr;
  mappings_[count_++] = {reinterpret_cast<char *>(at), bytes};
  return reinterpret_cast<void *>(at);
}

void *OwnMemory::grow(void *from, size_t bytes) {
  if (!from)
    return get(bytes);
  for (size_t i = 0; i < count_; i++) {
    Mapping &mapping = mappings_[i];
    if (mapping.at != from)
      continue;
    if (bytes <= mapping.bytes)
      return from;
    const size_t wanted = (bytes > 2 * mapping.bytes ? bytes : 2 * mapping.bytes) / page * page + page;
    const long at = system(SYS_mremap, mapping.at, mapping.bytes, wanted, MREMAP_MAYMOVE);
    if (is_error(at))
      return nullptr;
    mapping = {reinterpret_cast<char *>(at), wanted};
    return mapping.at;
  }
  return nullptr;
}

int read_all(int file, void *to, size_t bytes, uint64_t at) {
  return all(bytes, [&](size_t done, size_t left) {
    return system(SYS_pread64, file, static_cast<char *>(to) + done, left, at + done);
  });
}

int write_all(int file, const void *from, size_t bytes, uint64_t at) {
  return all(bytes, [&](size_t done, size_t left) {
    return system(SYS_pwrite64, file, static_cast<const char *>(from) + done, left, at + done);
  });
}

} // namespace skein::store
