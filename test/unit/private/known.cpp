// Words that are known to hold addresses: these tests check what is remembered, and what is forgotten when the table is
// full.
#include "private/heap/known.h"

#include <gtest/gtest.h>
#include <vector>

using namespace skein;

namespace {

bool always(uintptr_t, void *) { return true; }
uintptr_t number(const void *at) { return reinterpret_cast<uintptr_t>(at); }

TEST(Known, HoldsWordAndValue) {
  KnownWords known;
  uintptr_t word = 5;
  EXPECT_FALSE(known_holds(known, number(&word), 5));
  EXPECT_TRUE(known_add(known, number(&word), 5, always, nullptr));
  EXPECT_TRUE(known_holds(known, number(&word), 5));
  EXPECT_FALSE(known_holds(known, number(&word), 6));
  EXPECT_FALSE(known_holds(known, number(&word) + 8, 5));
  known_change(known, number(&word), 6);
  EXPECT_TRUE(known_holds(known, number(&word), 6));
  EXPECT_TRUE(known_add(known, number(&word), 7, always, nullptr));
  EXPECT_TRUE(known_holds(known, number(&word), 7));
  EXPECT_EQ(known.count, 1u);
  known_free(known);
  EXPECT_FALSE(known_holds(known, number(&word), 7));
}

TEST(Known, GivesAnotherValueOnlyToWhatIsThere) {
  KnownWords known;
  uintptr_t word = 5, other = 5;
  EXPECT_FALSE(known_again(known, number(&word), 5)); // there is no table yet
  EXPECT_TRUE(known_add(known, number(&word), 5, always, nullptr));
  EXPECT_FALSE(known_again(known, number(&other), 6));
  EXPECT_FALSE(known_holds(known, number(&other), 6));
  EXPECT_TRUE(known_again(known, number(&word), 6));
  EXPECT_TRUE(known_holds(known, number(&word), 6));
  EXPECT_EQ(known.count, 1u);
  known_free(known);
}

TEST(Known, TheLastWordIsTheOneThatWasTouchedLast) {
  KnownWords known;
  uintptr_t word = 5, other = 5;
  EXPECT_FALSE(known_once_more(known, number(&word), 5)); // there is none
  EXPECT_TRUE(known_add(known, number(&word), 5, always, nullptr));
  EXPECT_TRUE(known_once_more(known, number(&word), 6));
  EXPECT_TRUE(known_holds(known, number(&word), 6));
  EXPECT_FALSE(known_once_more(known, number(&other), 7));
  EXPECT_TRUE(known_add(known, number(&other), 5, always, nullptr));
  EXPECT_FALSE(known_once_more(known, number(&word), 7));
  EXPECT_TRUE(known_again(known, number(&word), 7));
  EXPECT_TRUE(known_once_more(known, number(&word), 8));
  EXPECT_TRUE(known_holds(known, number(&word), 8));
  std::vector<uintptr_t> many(300); // the table is made anew, elsewhere
  for (uintptr_t &one : many)
    EXPECT_TRUE(known_add(known, number(&one), 1, always, nullptr));
  EXPECT_TRUE(known_once_more(known, number(&many.back()), 9));
  EXPECT_TRUE(known_holds(known, number(&many.back()), 9));
  known_free(known);
  EXPECT_FALSE(known_once_more(known, number(&many.back()), 9));
}

TEST(Known, ThousandsOfWords) {
  KnownWords known;
  std::vector<uintptr_t> words(5000);
  for (uintptr_t &word : words) {
    word = number(&word) ^ 0xabc;
    ASSERT_TRUE(known_add(known, number(&word), word, always, nullptr));
  }
  for (uintptr_t &word : words)
    EXPECT_TRUE(known_holds(known, number(&word), word));
  known_free(known);
}

TEST(Known, OverwrittenAndLostWordsAreForgotten) {
  KnownWords known;
  static std::vector<uintptr_t> words;
  words.assign(100000, 1);
  auto live = [](uintptr_t at, void *) { return (at >> 3) % 2 == 0; };
  for (size_t i = 0; i < words.size(); i++) {
    ASSERT_TRUE(known_add(known, number(&words[i]), 1, live, nullptr));
    if (i % 3)
      words[i] = 2; // overwritten, without telling the runtime
  }
  // A sixth of them can still be found.
  EXPECT_LE(known.capacity, 131072u);
  EXPECT_GE(known.count, words.size() / 6);
  known_free(known);
}

} // namespace
