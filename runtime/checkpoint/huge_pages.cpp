// See huge_pages.h.
#include "checkpoint/huge_pages.h"
#include "os/linux/page_scan.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr uint64_t addresses_end = (UINT64_C(1) << 47) - 4096, huge = 2 << 20;
constexpr unsigned refused_most = 16; // for want of memory, or because the range is not there any more
constexpr int madvise_collapse = 25;  // MADV_COLLAPSE of Linux 6.1

} // namespace

HugePages::~HugePages() { free(spans_); }

void HugePages::note(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/pagemap", process);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  ScanRange found[64];
  ScanArgument wanted = {};
  wanted.size = sizeof wanted;
  wanted.end = addresses_end;
  wanted.vec = reinterpret_cast<uint64_t>(found);
  wanted.vec_len = 64;
  wanted.category_mask = wanted.return_mask = page_is_huge;
  for (int count; (count = ioctl(file, pagemap_scan, &wanted)) > 0; wanted.start = wanted.walk_end) {
    if (count_ + static_cast<size_t>(count) > room_) {
      const size_t room = 2 * room_ + 64;
      void *grown = realloc(spans_, room * sizeof(Span));
      if (!grown)
        break;
      spans_ = static_cast<Span *>(grown);
      room_ = room;
    }
    for (int i = 0; i < count; i++)
      spans_[count_++] = {found[i].begin, found[i].end};
  }
  if (file >= 0)
    close(file);
}

void HugePages::join() const {
  unsigned refused = 0;
  for (size_t i = 0; i < count_; i++)
    for (uint64_t at = (spans_[i].begin + huge - 1) / huge * huge; at + huge <= spans_[i].end; at += huge)
      if (madvise(reinterpret_cast<void *>(at), huge, madvise_collapse) != 0 && errno == ENOMEM &&
          ++refused == refused_most)
        return;
}

} // namespace skein
