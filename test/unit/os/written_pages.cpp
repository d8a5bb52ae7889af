// What the kernel says of watched memory (os/linux/page_faults.h). Skipped where it has no userfaultfd, or an old one.
#include "os/linux/page_faults.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace skein;

namespace {

constexpr size_t page = 4096, pages = 64;

class WrittenPagesTest : public testing::Test {
protected:
  static void SetUpTestSuite() { why_not = page_faults_start(); }
  void SetUp() override {
    if (why_not)
      GTEST_SKIP() << why_not;
    memory_ = static_cast<char *>(
        mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    ASSERT_NE(memory_, MAP_FAILED);
    ASSERT_TRUE(page_faults_watch(begin(), pages * page));
  }
  void TearDown() override {
    if (memory_)
      munmap(memory_, pages * page);
  }
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_); }
  uintptr_t end() const { return begin() + pages * page; }
  void write(size_t at) { memory_[at * page] = 1; }

  /// The pages that were written since the last call.
  std::vector<size_t> written() {
    PageRange ranges[pages];
    uintptr_t next;
    const int count = page_faults_written(begin(), end(), ranges, pages, 0, next);
    EXPECT_GE(count, 0);
    EXPECT_EQ(next, end());
    return list(ranges, count);
  }
  std::vector<size_t> present() {
    PageRange ranges[pages];
    uintptr_t next;
    const int count = page_faults_present(begin(), end(), ranges, pages, next);
    EXPECT_GE(count, 0);
    return list(ranges, count);
  }

  std::vector<size_t> list(const PageRange *ranges, int count) {
    std::vector<size_t> all;
    for (int i = 0; i < count; i++)
      for (uintptr_t at = ranges[i].begin; at < ranges[i].end; at += page)
        all.push_back((at - begin()) / page);
    return all;
  }

private:
  static const char *why_not;
  char *memory_ = nullptr;
};
const char *WrittenPagesTest::why_not;

using Pages = std::vector<size_t>;

} // namespace

TEST_F(WrittenPagesTest, PagesWithoutContentsAreNotNamed) {
  EXPECT_EQ(written(), Pages{});
  write(3);
  write(5);
  EXPECT_EQ(written(), (Pages{3, 5}));
  EXPECT_EQ(present(), (Pages{3, 5})); // nothing gave contents to others
}

TEST_F(WrittenPagesTest, APageIsNamedOnceForEachTimeThatItIsWritten) {
  write(0);
  EXPECT_EQ(written(), Pages{0});
  EXPECT_EQ(written(), Pages{});
  write(0);
  write(63);
  EXPECT_EQ(written(), (Pages{0, 63}));
}

TEST_F(WrittenPagesTest, StepsNameEachPageOnceAndThenAllIsLookedThrough) {
  const Pages all = {0, 1, 2, 7, 9, 10, 30, 63};
  for (const size_t at : all)
    write(at);
  Pages named;
  size_t steps = 0;
  for (uintptr_t at = begin(); at < end(); steps++) {
    PageRange ranges[2];
    const int count = page_faults_written(at, end(), ranges, 2, 3, at);
    ASSERT_GE(count, 0);
    const Pages step = list(ranges, count);
    EXPECT_LE(step.size(), 3u);
    named.insert(named.end(), step.begin(), step.end());
  }
  EXPECT_EQ(named, all);
  EXPECT_GE(steps, 3u);
  EXPECT_EQ(written(), Pages{});
}

TEST_F(WrittenPagesTest, WhatComesIsNotWritten) {
  ASSERT_TRUE(page_faults_miss(begin(), pages * page));
  alignas(page) static const char contents[2 * page] = {1};
  size_t filled;
  EXPECT_EQ(page_faults_fill(begin() + 7 * page, contents, sizeof contents, filled), Fill::done);
  EXPECT_EQ(filled, sizeof contents);
  EXPECT_EQ(written(), Pages{});
  write(8);
  EXPECT_EQ(written(), Pages{8});
}

TEST_F(WrittenPagesTest, APageThatIsThereIsNotFilled) {
  write(2);
  ASSERT_TRUE(page_faults_miss(begin(), pages * page));
  alignas(page) static const char contents[3 * page] = {7};
  size_t filled;
  EXPECT_EQ(page_faults_fill(begin() + page, contents, sizeof contents, filled), Fill::there);
  EXPECT_EQ(filled, page); // the one before it
  EXPECT_EQ(page_faults_fill_zero(begin() + 2 * page, page, filled), Fill::there);
}
