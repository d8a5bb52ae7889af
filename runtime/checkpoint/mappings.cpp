// Reading /proc/self/smaps and /proc/self/pagemap; see mappings.h.
#include "checkpoint/mappings.h"
#include "os/linux/memory.h"
#include "os/linux/page_scan.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr uint64_t page = 4096;
constexpr size_t text_bytes = 1 << 16;

/// The bytes of the file behind a private mapping, from there on; 0 if the file cannot be looked at any more.
uint64_t file_bytes_behind(const char *name, uint64_t offset, uint64_t inode) {
  struct stat file;
  if (name[0] != '/' || stat(name, &file) != 0 || file.st_ino != inode)
    return 0;
  const auto size = static_cast<uint64_t>(file.st_size);
  return size > offset ? round_up(size - offset, page) : 0;
}

} // namespace

Mappings::~Mappings() {
  if (memory_)
    munmap(memory_, memory_bytes_);
}

bool Mappings::note_flags(const char *flags, char *words, size_t bytes) {
  constexpr struct {
    const char *name;
    uint32_t flag;
  } known[] = {{" gd", region_grows},    {" nr", region_unreserved}, {" hg", region_huge},
               {" nh", region_not_huge}, {" wf", region_wiped},      {" dd", region_undumped}};
  Region &region = all_[count_ - 1].region;
  for (const auto &[name, flag] : known)
    if (strstr(flags, name))
      region.flags |= flag;
  const bool of_kernel = region.flags & (region_vdso | region_vvar);
  const char *why = strstr(flags, " ht")                                           ? "has huge pages of hugetlbfs"
                    : strstr(flags, " um") || strstr(flags, " uw")                 ? "is served by userfaultfd"
                    : !of_kernel && (strstr(flags, " io") || strstr(flags, " pf")) ? "is memory of a device"
                                                                                   : nullptr;
  if (why)
    snprintf(words, bytes, "memory at 0x%llx %s, which cannot be copied", static_cast<unsigned long long>(region.begin),
             why);
  return !why;
}

bool Mappings::note(char *line, char *words, size_t bytes) {
  unsigned long long begin, end, offset, inode, kilobytes;
  char rights[8];
  int name_at = 0;
  if (sscanf(line, "%llx-%llx %7s %llx %*x:%*x %llu %n", &begin, &end, rights, &offset, &inode, &name_at) == 5) {
    const char *name = line + name_at;
    skips_ = strcmp(name, "[vsyscall]") == 0 || strcmp(name, "[uprobes]") == 0; // the same in all processes
    if (skips_)
      return true;
    if (count_ == mappings_most_) {
      snprintf(words, bytes, "it has more than %zu mappings", mappings_most_);
      return false;
    }
    Mapping &next = all_[count_++];
    next = {{begin, end, 0, 0}, 0, false};
    next.region.protection = static_cast<uint32_t>(
        (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) | (rights[2] == 'x' ? PROT_EXEC : 0));
    next.region.flags = (rights[3] == 's' ? region_shared : 0) | (strcmp(name, "[vdso]") == 0 ? region_vdso : 0) |
                        (strncmp(name, "[vvar", 5) == 0 ? region_vvar : 0);
    if (inode && rights[3] == 'p')
      next.file_bytes = file_bytes_behind(name, offset, inode);
    if (next.file_bytes > end - begin)
      next.file_bytes = end - begin;
  } else if (skips_ || count_ == 0) {
    return true;
  } else if (sscanf(line, "Rss: %llu kB", &kilobytes) == 1 || sscanf(line, "Swap: %llu kB", &kilobytes) == 1) {
    all_[count_ - 1].has_pages |= kilobytes != 0;
  } else if (strncmp(line, "VmFlags:", 8) == 0) {
    return note_flags(line + 8, words, bytes);
  }
  return true;
}

bool Mappings::read(const PageSpan *without, size_t without_count, char *words, size_t bytes) {
  if (!memory_) {
    void *at = mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      snprintf(words, bytes, "there is no memory for the list of its mappings");
      return false;
    }
    memory_ = static_cast<char *>(at);
    static_assert(text_bytes + mappings_most_ * sizeof(Mapping) <= memory_bytes_);
    all_ = reinterpret_cast<Mapping *>(memory_ + text_bytes);
  }
  count_ = 0;
  const int file = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    snprintf(words, bytes, "/proc/self/smaps cannot be read: %s", strerror(errno));
    return false;
  }
  bool good = true;
  size_t held = 0;
  for (ssize_t got; good && (got = ::read(file, memory_ + held, text_bytes - 1 - held)) != 0;) {
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      snprintf(words, bytes, "/proc/self/smaps cannot be read: %s", strerror(errno));
      good = false;
      break;
    }
    held += static_cast<size_t>(got);
    memory_[held] = 0;
    char *at = memory_;
    for (char *line_end; good && (line_end = strchr(at, '\n')) != nullptr; at = line_end + 1) {
      char *last = line_end;
      do
        *last = 0;
      while (last > at && *--last == ' ');
      good = note(at, words, bytes);
    }
    held -= static_cast<size_t>(at - memory_);
    memmove(memory_, at, held);
  }
  close(file);
  size_t kept = 0;
  for (size_t i = 0; i < count_; i++) {
    const Region &region = all_[i].region;
    bool listed = !own().overlaps(region.begin, region.end);
    for (size_t other = 0; other < without_count; other++)
      listed &= !without[other].overlaps(region.begin, region.end);
    if (listed)
      all_[kept++] = all_[i];
  }
  count_ = kept;
  return good;
}

uint64_t vdso_digest(const Mappings &mappings) {
  uint64_t digest = UINT64_C(0xcbf29ce484222325); // FNV-1a
  for (const Mapping &mapping : mappings)
    if (mapping.region.flags & region_vdso)
      for (const auto *at = reinterpret_cast<const unsigned char *>(mapping.region.begin);
           at != reinterpret_cast<const unsigned char *>(mapping.region.end); at++)
        digest = (digest ^ *at) * UINT64_C(0x100000001b3);
  return digest;
}

PageFinder::PageFinder()
    : pagemap_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)), has_guards_(memory_guards_work()) {
  const auto answers = [&](uint64_t category) {
    ScanRange range;
    ScanArgument wanted = {};
    wanted.size = sizeof wanted;
    wanted.start = page;
    wanted.end = 2 * page;
    wanted.vec = reinterpret_cast<uint64_t>(&range);
    wanted.vec_len = 1;
    wanted.category_anyof_mask = wanted.return_mask = category;
    return pagemap_ >= 0 && ioctl(pagemap_, pagemap_scan, &wanted) >= 0;
  };
  has_scan_ = answers(page_is_present);
  tells_guards_ = answers(page_is_guard);
}

PageFinder::~PageFinder() { close(pagemap_); }

const char *PageFinder::fault() const {
  if (pagemap_ < 0)
    return "/proc/self/pagemap cannot be opened";
  return has_guards_ && !tells_guards_
             ? "this kernel has guard pages and does not tell which these are (Linux 6.13 and "
               "6.14): checkpoints need an older or a newer one"
             : nullptr;
}

bool PageFinder::scan(uint64_t begin, uint64_t end, bool guards, PageSpan &found) const {
  while (begin < end) {
    ScanRange range;
    ScanArgument wanted = {};
    wanted.size = sizeof wanted;
    wanted.start = begin;
    wanted.end = end;
    wanted.vec = reinterpret_cast<uint64_t>(&range);
    wanted.vec_len = 1;
    if (guards) {
      wanted.category_mask = page_is_guard;
    } else {
      wanted.category_anyof_mask = page_is_present | page_is_swapped;
      wanted.category_mask = wanted.category_inverted = tells_guards_ ? page_is_guard : 0;
    }
    wanted.return_mask = page_is_present | page_is_swapped;
    const int count = ioctl(pagemap_, pagemap_scan, &wanted);
    if (count < 0 && errno != EINTR)
      return false;
    if (count > 0) {
      found = {range.begin, range.end};
      return true;
    }
    if (count == 0)
      return false;
  }
  return false;
}

/// The same before Linux 6.7.
bool PageFinder::look(uint64_t begin, uint64_t end, PageSpan &found) const {
  constexpr uint64_t present_or_swapped = UINT64_C(3) << 62;
  uint64_t entries[512];
  found = {0, 0};
  while (begin < end) {
    const size_t count = end - begin < 512 * page ? (end - begin) / page : 512;
    const ssize_t got = pread(pagemap_, entries, count * 8, static_cast<off_t>(begin / page * 8));
    if (got <= 0)
      break;
    for (size_t i = 0; i < static_cast<size_t>(got) / 8; i++, begin += page)
      if (entries[i] & present_or_swapped) {
        if (!found.end)
          found.begin = begin;
        found.end = begin + page;
      } else if (found.end) {
        return true;
      }
  }
  return found.end != 0;
}

bool PageFinder::contents(const Mapping &mapping, uint64_t &at, PageSpan &found) const {
  const Region &region = mapping.region;
  // Behind the end of a file there may be pages, too, if it was made shorter; who touched others there would get
  // SIGBUS.
  if (at < region.begin + mapping.file_bytes) {
    found = {at, region.begin + mapping.file_bytes};
    at = found.end;
    return true;
  }
  const bool any = mapping.has_pages && (has_scan_ ? scan(at, region.end, false, found) : look(at, region.end, found));
  at = any ? found.end : region.end;
  return any;
}

bool PageFinder::guards(const Mapping &mapping, uint64_t &at, PageSpan &found) const {
  const bool any = tells_guards_ && has_guards_ && scan(at, mapping.region.end, true, found);
  at = any ? found.end : mapping.region.end;
  return any;
}

} // namespace skein
