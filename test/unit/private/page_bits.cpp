// One bit for each page of a region (private/paging/tracked.h), beside a vector of bits that does the same.
#include "private/paging/tracked.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace skein;
using paging::PageBits;

namespace {

struct Both {
  PageBits bits;
  std::vector<bool> model;

  explicit Both(size_t pages) : model(pages) { EXPECT_TRUE(bits.make(pages)); }
  ~Both() { bits.drop(); }

  void change(size_t first, size_t count, bool to) {
    to ? bits.set(first, count) : bits.clear(first, count);
    std::fill_n(model.begin() + static_cast<long>(first), count, to);
  }
  void expect_same(size_t first, size_t end) const {
    const auto from = model.begin() + static_cast<long>(first), to = model.begin() + static_cast<long>(end);
    EXPECT_EQ(bits.count(first, end - first), static_cast<size_t>(std::count(from, to, true)));
    for (bool value : {false, true})
      EXPECT_EQ(bits.next(first, end, value), static_cast<size_t>(std::find(from, to, value) - model.begin()));
    if (first < end)
      EXPECT_EQ(bits[first], model[first]);
  }
};

} // namespace

// A part has 4096 pages, so that sizes below, above and at the ends of parts matter.
TEST(PageBits, AreWhatWasSetAndCleared) {
  std::mt19937 random(1);
  const auto below = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); };
  for (size_t pages : {1, 63, 64, 4095, 4096, 4097, 8192, 20000, 300000}) {
    Both both(pages);
    both.expect_same(0, pages);
    both.change(0, pages, true);
    both.expect_same(0, pages);
    for (int step = 0; step < 500; step++) {
      const size_t first = step % 3 ? below(pages) : below(pages) / 4096 * 4096;
      const size_t most = pages - first, count = step % 2 ? below(most) + 1 : std::min<size_t>(most, 1 + below(70));
      both.change(first, count, below(2) != 0);
      const size_t from = below(pages), to = from + below(pages - from + 1);
      both.expect_same(from, to);
      both.expect_same(first, first + count);
      both.expect_same(0, pages);
    }
  }
}
