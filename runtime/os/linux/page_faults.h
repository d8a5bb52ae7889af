// Faults on pages that are missing, and which pages were written: userfaultfd(2) and PAGEMAP_SCAN, of Linux 6.7 and
// later. One file of each serves the whole process, and not its children.
//
// A range is *watched*: the kernel notes which of its pages are written. Pages of it may also be *missing*: whoever
// touches one, the kernel on behalf of a system call too, waits until somebody has filled it.
//
// Rejected: inaccessible pages and the SIGSEGV handler. A system call that is given a missing page would fail with
// EFAULT, and a library that does not expect that would go on with the wrong answer.
#ifndef SKEIN_OS_LINUX_PAGE_FAULTS_H
#define SKEIN_OS_LINUX_PAGE_FAULTS_H

#include <cstddef>
#include <cstdint>

namespace skein {

/// Opens both files. Returns why that is not possible here, or null.
const char *page_faults_start();
/// The child of a fork has neither.
void page_faults_forked();

/// In a process that is made of a copy: both are somebody else's numbers, or nobody's.
void page_faults_reborn();

/// Watches a range of private anonymous memory; all of its pages that have contents count as written. False: the kernel
/// refuses.
bool page_faults_watch(uintptr_t begin, size_t bytes);
/// Pages of a watched range that have no contents are missing from here on, also those that lose them later.
bool page_faults_miss(uintptr_t begin, size_t bytes);
/// The range is ordinary memory again, which is not watched.
void page_faults_forget(uintptr_t begin, size_t bytes);

struct PageRange {
  uintptr_t begin, end;
  uint64_t categories; // the kernel's
};
/// Finds pages of [begin, end) that have contents, and were written since they were last found here, up to `most`
/// ranges with up to `pages_most` pages. Sets `next` to where it stopped looking. Returns how many ranges, or -1.
int page_faults_written(uintptr_t begin, uintptr_t end, PageRange *ranges, unsigned most, size_t pages_most,
                        uintptr_t &next);
/// The same for all pages that have contents; nothing changes.
int page_faults_present(uintptr_t begin, uintptr_t end, PageRange *ranges, unsigned most, uintptr_t &next);

/// What became of an attempt to fill missing pages.
enum class Fill : uint8_t {
  done,
  again,     // an event is to be taken first (page_faults_next)
  there,     // the next page has contents already
  gone,      // the range is not watched any more
  no_memory, // for a page
};
/// Fills missing pages with a copy, or with zeros, up to one that has contents. A copy counts as not written.
/// Whoever waits for them goes on. `filled`: how many bytes.
Fill page_faults_fill(uintptr_t begin, const void *from, size_t bytes, size_t &filled);
Fill page_faults_fill_zero(uintptr_t begin, size_t bytes, size_t &filled);
/// Whoever waits for these pages looks again.
void page_faults_wake(uintptr_t begin, size_t bytes);

struct PageEvent {
  bool removed;         // the pages are about to lose their contents: whoever does that waits until this is taken; else
  uintptr_t begin, end; // somebody waits for this page
};
/// For poll(2): readable while there is an event.
int page_faults_file();
/// Takes the next event. False: there is none.
bool page_faults_next(PageEvent &event);

} // namespace skein

#endif
