// The intrusive list.
#include "base/list.h"

#include <gtest/gtest.h>
#include <vector>

using namespace skein;

namespace {

struct Item : Link {
  int value;
  explicit Item(int value) : value(value) {}
};

std::vector<int> values(const List<Item> &list) {
  std::vector<int> all;
  for (Item *item = list.first(); item; item = list.after(item))
    all.push_back(item->value);
  return all;
}

TEST(List, KeepsOrderOfArrival) {
  List<Item> list;
  Item a(1), b(2), c(3);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.pop_front(), nullptr);
  EXPECT_EQ(list.pop_back(), nullptr);
  list.push_back(&a);
  list.push_back(&b);
  list.push_front(&c);
  EXPECT_EQ(values(list), (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(list.pop_back(), &b);
  EXPECT_EQ(list.pop_front(), &c);
  EXPECT_EQ(list.pop_front(), &a);
  EXPECT_TRUE(list.empty());
}

TEST(List, RemovesFromTheMiddle) {
  List<Item> list;
  Item a(1), b(2), c(3);
  for (Item *item : {&a, &b, &c})
    list.push_back(item);
  EXPECT_TRUE(b.linked());
  list.remove(&b);
  EXPECT_FALSE(b.linked());
  EXPECT_EQ(values(list), (std::vector<int>{1, 3}));
  list.push_back(&b);
  EXPECT_EQ(values(list), (std::vector<int>{1, 3, 2}));
}

TEST(List, TakesAllOfAnother) {
  List<Item> list, other;
  Item a(1), b(2), c(3);
  list.take_all(other);
  EXPECT_TRUE(list.empty());
  list.push_back(&a);
  other.push_back(&b);
  other.push_back(&c);
  list.take_all(other);
  EXPECT_TRUE(other.empty());
  EXPECT_EQ(values(list), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(list.pop_back(), &c);
  EXPECT_EQ(values(list), (std::vector<int>{1, 2}));
}

} // namespace
