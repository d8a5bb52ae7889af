// The kernel's question PAGEMAP_SCAN (Linux 6.7), which headers of Linux 6.1 do not have.
#ifndef SKEIN_OS_LINUX_PAGE_SCAN_H
#define SKEIN_OS_LINUX_PAGE_SCAN_H

#include <cstdint>
#include <sys/ioctl.h>

namespace skein {

inline constexpr uint64_t page_is_written = 1 << 1, page_is_present = 1 << 3, page_is_swapped = 1 << 4;
inline constexpr uint64_t page_is_huge = 1 << 6;  // mapped by one entry for 2 MiB
inline constexpr uint64_t page_is_guard = 1 << 8; // since Linux 6.15; such a page counts as swapped out, too
inline constexpr uint64_t scan_protects = 1 << 0, scan_checks = 1 << 1;

struct ScanArgument {
  uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
static_assert(sizeof(ScanArgument) == 96);
/// What `vec` leads to.
struct ScanRange {
  uint64_t begin, end, categories;
};

inline constexpr unsigned long pagemap_scan = _IOWR('f', 16, ScanArgument);

} // namespace skein

#endif
