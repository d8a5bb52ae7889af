// Huge pages that a copy has cost.
//
// After the fork, a huge page of this process that is written to while the writer shares it is split: small pages are
// copied one by one, and the kernel joins them again at a rate of some 2 MiB a second. A thread that writes all over
// its memory was slower by an eighth for minutes (docs/benchmarks.md). So when the writer has ended, what was huge at
// the cut is made huge again, at once. The page tables of the writer tell what that was: they are those of the cut, and
// looking into them costs this process no time of its pause.
//
// It is an improvement, and nothing depends on it: kernels that cannot do it (before 6.7) leave the pages small.
#ifndef SKEIN_CHECKPOINT_HUGE_PAGES_H
#define SKEIN_CHECKPOINT_HUGE_PAGES_H

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace skein {

class HugePages {
public:
  HugePages() = default;
  HugePages(const HugePages &) = delete;
  ~HugePages();

  /// Notes where another process, which shares this one's memory, has huge pages.
  void note(pid_t process);
  /// Joins those that are small pages now in this process. May take 0.2 ms for each.
  void join() const;

private:
  struct Span {
    uint64_t begin, end;
  };
  Span *spans_ = nullptr; // of malloc
  size_t count_ = 0, room_ = 0;
};

} // namespace skein

#endif
