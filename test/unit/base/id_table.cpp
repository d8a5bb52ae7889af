// The id table against std::unordered_map, and the cases where open addressing goes wrong: chains over the end of the
// table, holes in chains.
#include "base/id_table.h"

#include <gtest/gtest.h>
#include <random>
#include <unordered_map>
#include <vector>

namespace {
template <class Value> struct IdTable : skein::IdTable<Value> {
  ~IdTable() { this->clear(); }
};
} // namespace

TEST(IdTable, FindsNothingWhenEmpty) {
  IdTable<int> table;
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_FALSE(table.erase(1));
  EXPECT_EQ(table.size(), 0u);
}

TEST(IdTable, ZeroIsNeverThere) {
  IdTable<int> table;
  table[7] = 3;
  int value = 0;
  EXPECT_EQ(table.find(0), nullptr); // not one of the empty slots
  EXPECT_FALSE(table.take(0, value));
  EXPECT_FALSE(table.erase(0));
  EXPECT_EQ(table.size(), 1u);
  EXPECT_DEATH(table[0] = 1, "0 is no id");
}

TEST(IdTable, NewValuesAreZero) {
  IdTable<int> table;
  EXPECT_EQ(table[7], 0);
  table[7] = 3;
  EXPECT_EQ(table[7], 3);
  table.erase(7);
  EXPECT_EQ(table[7], 0);
}

TEST(IdTable, TakeCopiesAndErases) {
  IdTable<int> table;
  table[7] = 3;
  int value = 0;
  EXPECT_TRUE(table.take(7, value));
  EXPECT_EQ(value, 3);
  EXPECT_FALSE(table.take(7, value));
}

TEST(IdTable, AgreesWithUnorderedMap) {
  for (uint64_t spread : {UINT64_C(1), UINT64_C(1) << 40, UINT64_C(0x9e3779b97f4a7c15)}) {
    IdTable<uint64_t> table;
    std::unordered_map<uint64_t, uint64_t> reference;
    std::mt19937_64 random(spread);
    for (int step = 0; step < 60000; step++) {
      uint64_t id = (1 + random() % 400) * spread; // few ids, so that chains form and break
      if (random() % 2) {
        table[id] = static_cast<uint64_t>(step);
        reference[id] = static_cast<uint64_t>(step);
      } else {
        ASSERT_EQ(table.erase(id), reference.erase(id) == 1);
      }
      ASSERT_EQ(table.size(), reference.size());
      if (step % 100)
        continue;
      for (uint64_t i = 1; i <= 400; i++) {
        uint64_t *found = table.find(i * spread);
        auto expected = reference.find(i * spread);
        ASSERT_EQ(found != nullptr, expected != reference.end());
        if (found) {
          ASSERT_EQ(*found, expected->second);
        }
      }
    }
    size_t visited = 0;
    table.each([&](uint64_t id, uint64_t &value) {
      visited++;
      EXPECT_EQ(reference.at(id), value);
    });
    EXPECT_EQ(visited, reference.size());
    table.clear();
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(table.find(spread), nullptr);
  }
}
