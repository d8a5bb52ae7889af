// Userfaultfd and PAGEMAP_SCAN; see page_faults.h.
#include "os/linux/page_faults.h"
#include "os/linux/page_scan.h"
#include "os/linux/userfaultfd.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace skein {

namespace {

// What Linux 6.7 has, and headers of Linux 6.1 do not.
constexpr uint64_t feature_wp_unpopulated = 1 << 13, feature_wp_async = 1 << 15;

int faults = -1, pagemap = -1;

bool set_mode(uintptr_t begin, size_t bytes, uint64_t mode) {
  uffdio_register wanted = {};
  wanted.range = {begin, bytes};
  wanted.mode = mode;
  return ioctl(faults, UFFDIO_REGISTER, &wanted) == 0;
}

int scan(ScanArgument &wanted, uintptr_t begin, uintptr_t end, PageRange *ranges, unsigned most, uintptr_t &next) {
  wanted.size = sizeof wanted;
  wanted.start = begin;
  wanted.end = end;
  wanted.vec = reinterpret_cast<uintptr_t>(ranges);
  wanted.vec_len = most;
  int found;
  do
    found = ioctl(pagemap, pagemap_scan, &wanted);
  while (found < 0 && errno == EINTR);
  next = found < 0 ? end : static_cast<uintptr_t>(wanted.walk_end);
  return found;
}

/// After an ioctl that has filled so many bytes, or has failed with -count: takes up what was done. True: go on.
bool fill_step(int64_t count, size_t &filled, Fill &result) {
  if (count > 0) {
    filled += static_cast<size_t>(count);
    return true;
  }
  switch (-count) {
  case EEXIST:
    result = Fill::there;
    return false;
  case EAGAIN:
    result = Fill::again;
    return false;
  case ENOMEM:
    result = Fill::no_memory;
    return false;
  default:
    result = Fill::gone;
    return false;
  }
}

} // namespace

const char *page_faults_start() {
  if (const char *why = userfaultfd_open(feature_wp_unpopulated | feature_wp_async | UFFD_FEATURE_EVENT_REMOVE,
                                         "userfaultfd cannot tell which pages were written (Linux before 6.7)", faults))
    return why;
  pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) {
    close(faults);
    faults = -1;
    return "/proc/self/pagemap cannot be opened";
  }
  return nullptr;
}

void page_faults_forked() {
  close(faults);
  close(pagemap);
  faults = pagemap = -1;
}

void page_faults_reborn() { faults = pagemap = -1; }

bool page_faults_watch(uintptr_t begin, size_t bytes) { return set_mode(begin, bytes, UFFDIO_REGISTER_MODE_WP); }
bool page_faults_miss(uintptr_t begin, size_t bytes) {
  return set_mode(begin, bytes, UFFDIO_REGISTER_MODE_WP | UFFDIO_REGISTER_MODE_MISSING);
}
void page_faults_forget(uintptr_t begin, size_t bytes) {
  uffdio_range range = {begin, bytes};
  ioctl(faults, UFFDIO_UNREGISTER, &range);
}

// Asked for nothing but written pages, the kernel is ten times as fast, but takes pages without contents for written,
// as Linux 6.18 does however it is asked, and protecting such a page leaves a mark in its place. So that question only
// finds out where to look, at many places at once, and the next one names pages with contents: whoever read others
// would give them zeros. A step of a few pages looks further ahead than it needs, for memory without contents, of which
// a region may have as much as of any other, would take a step for so few pages again and again.
int page_faults_written(uintptr_t begin, uintptr_t end, PageRange *ranges, unsigned most, size_t pages_most,
                        uintptr_t &next) {
  constexpr unsigned places_most = 64;
  constexpr size_t ahead = 32;
  PageRange places[places_most];
  unsigned found = 0;
  size_t pages = 0;
  const auto is_enough = [&] { return found == most || (pages_most != 0 && pages >= pages_most); };
  while (begin < end && !is_enough()) {
    ScanArgument where = {};
    where.flags = scan_checks;
    where.category_mask = where.return_mask = page_is_written;
    where.max_pages = pages_most * ahead;
    uintptr_t looked_up_to;
    const int count = scan(where, begin, end, places, places_most, looked_up_to);
    if (count < 0)
      return -1;
    for (int i = 0; i < count && !is_enough(); i++) {
      ScanArgument wanted = {};
      wanted.flags = scan_checks | scan_protects;
      wanted.category_mask = wanted.return_mask = page_is_written;
      wanted.category_anyof_mask = page_is_present | page_is_swapped;
      wanted.max_pages = pages_most ? pages_most - pages : 0;
      const int more = scan(wanted, places[i].begin, places[i].end, ranges + found, most - found, begin);
      if (more < 0)
        return -1;
      for (int k = 0; k < more; k++, found++)
        pages += (ranges[found].end - ranges[found].begin) / 4096;
    }
    if (!is_enough())
      begin = looked_up_to;
  }
  next = begin;
  return static_cast<int>(found);
}

int page_faults_present(uintptr_t begin, uintptr_t end, PageRange *ranges, unsigned most, uintptr_t &next) {
  ScanArgument wanted = {};
  wanted.category_anyof_mask = wanted.return_mask = page_is_present | page_is_swapped;
  return scan(wanted, begin, end, ranges, most, next);
}

Fill page_faults_fill(uintptr_t begin, const void *from, size_t bytes, size_t &filled) {
  Fill result = Fill::done;
  for (filled = 0; filled < bytes;) {
    uffdio_copy copy = {};
    copy.dst = begin + filled;
    copy.src = reinterpret_cast<uintptr_t>(from) + filled;
    copy.len = bytes - filled;
    copy.mode = UFFDIO_COPY_MODE_WP;
    if (ioctl(faults, UFFDIO_COPY, &copy) != 0 && copy.copy == 0)
      copy.copy = -errno;
    if (!fill_step(copy.copy, filled, result))
      break;
  }
  return result;
}

Fill page_faults_fill_zero(uintptr_t begin, size_t bytes, size_t &filled) {
  Fill result = Fill::done;
  for (filled = 0; filled < bytes;) {
    uffdio_zeropage zero = {};
    zero.range = {begin + filled, bytes - filled};
    if (ioctl(faults, UFFDIO_ZEROPAGE, &zero) != 0 && zero.zeropage == 0)
      zero.zeropage = -errno;
    if (!fill_step(zero.zeropage, filled, result))
      break;
  }
  return result;
}

void page_faults_wake(uintptr_t begin, size_t bytes) {
  uffdio_range range = {begin, bytes};
  ioctl(faults, UFFDIO_WAKE, &range);
}

int page_faults_file() { return faults; }

bool page_faults_next(PageEvent &event) {
  uffd_msg message;
  while (read(faults, &message, sizeof message) == sizeof message) {
    if (message.event == UFFD_EVENT_PAGEFAULT) {
      const uintptr_t page = message.arg.pagefault.address & ~uintptr_t{4095};
      event = {false, page, page + 4096};
      return true;
    }
    if (message.event == UFFD_EVENT_REMOVE) {
      event = {true, message.arg.remove.start, message.arg.remove.end};
      return true;
    }
  }
  return false;
}

} // namespace skein
