// Huge pages that a fork has cost are huge again (checkpoint/huge_pages.h). Skipped where there are none to be had.
#include "checkpoint/huge_pages.h"

#include <csignal>
#include <cstdio>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace skein;

namespace {

constexpr size_t page = 4096, huge = 2 << 20, count = 8;

/// How much of this process's memory lies in huge pages.
size_t huge_bytes() {
  FILE *file = fopen("/proc/self/smaps_rollup", "re");
  char line[256];
  unsigned long kilobytes = 0;
  while (file && fgets(line, sizeof line, file) && sscanf(line, "AnonHugePages: %lu kB", &kilobytes) != 1) {
  }
  if (file)
    fclose(file);
  return kilobytes << 10;
}

struct Memory {
  char *mapped = static_cast<char *>(
      mmap(nullptr, (count + 1) * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char *begin = mapped + (huge - reinterpret_cast<uintptr_t>(mapped) % huge) % huge;
  ~Memory() { munmap(mapped, (count + 1) * huge); }
};

TEST(JoinedPagesTest, SplitPagesAreHugeAgain) {
  Memory memory;
  madvise(memory.begin, count * huge, MADV_HUGEPAGE);
  for (size_t at = 0; at < count * huge; at += page)
    memory.begin[at] = static_cast<char>(at / page);
  const size_t before = huge_bytes();
  if (before < count * huge)
    GTEST_SKIP() << "the kernel gives no huge pages: " << before << " bytes of " << count * huge;

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    pause();
    _exit(0);
  }
  for (size_t i = 0; i < count; i += 2)
    memory.begin[i * huge + page]++;
  EXPECT_LE(huge_bytes(), before - count / 2 * huge);

  HugePages pages;
  pages.note(child);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  pages.join();
  if (huge_bytes() < before) {
    ASSERT_NE(madvise(memory.begin, count * huge, 25 /* MADV_COLLAPSE */), 0) << "the kernel can join them";
    GTEST_SKIP() << "the kernel does not join pages (Linux before 6.1, or memory is short)";
  }
  for (size_t at = 0; at < count * huge; at += page)
    ASSERT_EQ(memory.begin[at], static_cast<char>(at / page + (at % (2 * huge) == page))) << at;
}

TEST(JoinedPagesTest, ProcessThatHasEndedHasNone) {
  HugePages pages;
  pages.note(-1);
  pages.join();
}

} // namespace
