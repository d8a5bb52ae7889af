// Objects over nodes become pieces of an estate, and the same objects again on the heir: with their words, values and
// waiters, in order. (dsm/object_estate.h)
#include "base/node.h"
#include "dsm/object_estate.h"
#include "net/messages/active.h"
#include "thread/thread.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <skein/global.h>
#include <skein/skein.h>
#include <string>
#include <vector>

using namespace skein;

namespace {

std::vector<std::string> pieces;
void keep(const void *data, size_t bytes) {
  EXPECT_LE(bytes, estate_most);
  EXPECT_EQ(bytes % 8, 0u);
  pieces.emplace_back(static_cast<const char *>(data), bytes);
}

uint64_t id(int birth, uint64_t number) { return static_cast<uint64_t>(birth) << id_node_shift | number; }

/// As node 2 of 3, which leaves, and then as node 0.
class InheritedObjects : public testing::Test {
protected:
  InheritedObjects() {
    forget(); // what other tests have left
    node.count = 3;
    node.self = 2;
    pieces.clear();
  }
  ~InheritedObjects() override {
    forget();
    node = Node{};
  }

  /// What the operation has granted, in order, as "call:code"; those without a code of an error by "call" alone.
  std::string does(uint64_t object, uint64_t operation, int from, uint64_t argument = 0, std::string data = {}) {
    auto *own = static_cast<ObjectWaiter *>(malloc(sizeof(ObjectWaiter)));
    *own = {nullptr, from, ++calls_, operation, argument, id(from, calls_), 0, nullptr, nullptr, 0};
    WaiterQueue granted;
    {
      Guard guard(objects_lock);
      object_step(object, own, data.data(), data.size(), true, granted);
    }
    return words_of(granted);
  }
  std::string words_of(WaiterQueue &granted) {
    std::string words;
    while (ObjectWaiter *waiter = granted.pop()) {
      words += (words.empty() ? "" : " ") + std::to_string(waiter->call);
      if (waiter->code)
        words += ":" + std::to_string(waiter->code);
      if (waiter->value)
        words += "=" + std::string(waiter->value->data, std::min<size_t>(waiter->value->bytes, 8));
      value_drop(waiter->value);
      free(waiter);
    }
    return words;
  }

  /// Node 2 leaves, and node 0 is its heir. Returns what is granted at once.
  std::string leaves() {
    uint64_t cursor = 0;
    while (object_estate_next(cursor, keep))
      ;
    forget();
    node.self = 0;
    WaiterQueue granted;
    std::reverse(pieces.begin(), pieces.end()); // they may be taken in any order
    for (const std::string &piece : pieces) {
      Complaint wrong{};
      EXPECT_TRUE(object_estate_check(2, piece.data(), piece.size(), wrong)) << wrong.text;
      EXPECT_FALSE(object_estate_check(1, piece.data(), piece.size(), wrong));
      object_estate_take(piece.data(), piece.size(), granted);
    }
    return words_of(granted);
  }

private:
  void forget() {
    objects.each([](uint64_t, GlobalObject *&object) {
      while (ObjectWaiter *waiter = object->waiters.pop())
        free(waiter);
      value_drop(object->value);
      free(object);
    });
    objects.clear();
    together.clear();
  }
  uint64_t calls_ = 0;
};

} // namespace

TEST_F(InheritedObjects, KeepTheirQueues) {
  const uint64_t semaphore = object_new(SKEIN_GLOBAL_SEMAPHORE, 1), mutex = object_new(SKEIN_GLOBAL_MUTEX, 0);
  const uint64_t condition = object_new(SKEIN_GLOBAL_CONDITION, mutex);
  EXPECT_EQ(does(semaphore, SKEIN_GLOBAL_WAIT, 0), "1");
  EXPECT_EQ(does(semaphore, SKEIN_GLOBAL_WAIT, 0), "");
  EXPECT_EQ(does(semaphore, SKEIN_GLOBAL_WAIT, 1), "");
  EXPECT_EQ(does(mutex, SKEIN_GLOBAL_LOCK, 1), "4");
  EXPECT_EQ(does(mutex, SKEIN_GLOBAL_LOCK, 0), "");
  EXPECT_EQ(does(condition, SKEIN_GLOBAL_CONDITION_WAIT, 0), "6:" + std::to_string(SKEIN_ELOCK));
  EXPECT_EQ(leaves(), "");
  EXPECT_EQ(objects.size(), 3u);
  EXPECT_EQ(does(semaphore, SKEIN_GLOBAL_SIGNAL, 0), "2 7");
  EXPECT_EQ(does(semaphore, SKEIN_GLOBAL_SIGNAL, 0), "3 8");
  EXPECT_EQ(does(semaphore, SKEIN_GLOBAL_TRY_WAIT, 0), "9:" + std::to_string(SKEIN_EBUSY));
  EXPECT_EQ((*objects.find(mutex))->word, id(1, 4));
  EXPECT_EQ((*objects.find(condition))->word, mutex);
  WaiterQueue granted;
  mutex_orphan(**objects.find(mutex), SKEIN_EDEAD, granted);
  EXPECT_EQ(words_of(granted), "5:" + std::to_string(SKEIN_EDEAD));
  EXPECT_NE(object_new(SKEIN_GLOBAL_SEMAPHORE, 0), semaphore);
}

TEST_F(InheritedObjects, GoOnWithTheirRounds) {
  const uint64_t barrier = object_new(SKEIN_GLOBAL_ROUND, 3), round = object_new(SKEIN_GLOBAL_ROUND, 2);
  EXPECT_EQ(does(barrier, SKEIN_GLOBAL_BARRIER_WAIT, 0), "");
  EXPECT_EQ(does(barrier, SKEIN_GLOBAL_BARRIER_WAIT, 1), "");
  EXPECT_EQ(does(round, SKEIN_GLOBAL_SEND, 1, 0, "the news"), "");
  EXPECT_EQ(leaves(), "");
  EXPECT_EQ(does(barrier, SKEIN_GLOBAL_REDUCE, 1, SKEIN_REDUCE_ADD, "12345678"), "4:" + std::to_string(SKEIN_EREFUSED));
  EXPECT_EQ(does(barrier, SKEIN_GLOBAL_BARRIER_WAIT, 1), "1 2 5");
  EXPECT_EQ(does(round, SKEIN_GLOBAL_SEND, 0, 0, "othernew"), "6:" + std::to_string(SKEIN_ELOCK));
  EXPECT_EQ(does(round, SKEIN_GLOBAL_RECEIVE, 0, 8), "3 7=the news");
}

// Pieces are limited, and an object may need several.
TEST_F(InheritedObjects, MayBeLarge) {
  std::string large(value_most, 'x');
  large.replace(0, 8, "12345678");
  large.back() = 'z';
  const uint64_t future = object_new(SKEIN_GLOBAL_EVENT, 1), many = object_new(SKEIN_GLOBAL_EVENT, 1);
  EXPECT_EQ(does(future, SKEIN_GLOBAL_FUTURE_SET, 0, 0, large), "1");
  constexpr int waiters = 10000;
  for (int i = 0; i < waiters; i++)
    ASSERT_EQ(does(many, SKEIN_GLOBAL_LATCH_WAIT, i % 2), "");
  EXPECT_EQ(leaves(), "");
  EXPECT_GE(pieces.size(), 2u);
  EXPECT_EQ(does(future, SKEIN_GLOBAL_FUTURE_GET, 1, value_most), std::to_string(waiters + 2) + "=12345678");
  EXPECT_EQ(std::string((*objects.find(future))->value->data, value_most), large);
  std::string all;
  for (int i = 0; i < waiters; i++)
    all += std::to_string(i + 2) + " ";
  EXPECT_EQ(does(many, SKEIN_GLOBAL_LATCH_DOWN, 0, 1), all + std::to_string(waiters + 3));
}

TEST_F(InheritedObjects, MayBeInTheMaking) {
  const uint64_t semaphore = object_new(SKEIN_GLOBAL_SEMAPHORE, 4);
  together[together_id(2, 7)] = {semaphore, 2, SKEIN_GLOBAL_SEMAPHORE, 4};
  EXPECT_EQ(leaves(), "");
  EXPECT_EQ(together.find(together_id(0, 7)), nullptr);
  Together *found = together.find(together_id(2, 7));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->object, semaphore);
  EXPECT_EQ(found->left, 2u);
  EXPECT_EQ(found->value, 4u);
}

TEST_F(InheritedObjects, NothingIsAPiece) {
  EXPECT_EQ(leaves(), "");
  EXPECT_TRUE(pieces.empty());
}

// A peer may send anything.
TEST_F(InheritedObjects, AreChecked) {
  const auto wrong = [](const EstateItemHeader &header, const void *body, size_t bytes) {
    std::string piece(reinterpret_cast<const char *>(&header), sizeof header);
    piece.append(static_cast<const char *>(body), bytes);
    Complaint complaint{};
    return object_estate_check(2, piece.data(), piece.size(), complaint) ? std::string() : complaint.text;
  };
  constexpr uint64_t object = static_cast<uint64_t>(EstateItem::object), bytes = sizeof(EstateObject);
  EstateObject good = {SKEIN_GLOBAL_MUTEX, id(1, 5), 0, 0, 0, 0, 0, estate_no_value};
  EXPECT_EQ(wrong({object, bytes, id(2, 1)}, &good, bytes), "");
  EXPECT_NE(wrong({object, bytes, id(1, 1)}, &good, bytes), "");
  EXPECT_NE(wrong({object, bytes, id(2, 0)}, &good, bytes), "");
  EXPECT_NE(wrong({object, bytes + 8, id(2, 1)}, &good, bytes), "");
  EXPECT_NE(wrong({object, bytes - 8, id(2, 1)}, &good, bytes), "");
  EXPECT_NE(wrong({object, UINT64_MAX, id(2, 1)}, &good, bytes), "");
  EXPECT_NE(wrong({9, bytes, id(2, 1)}, &good, bytes), "");
  const auto refuses = [&](auto &&change) {
    EstateObject bad = good;
    change(bad);
    return !wrong({object, bytes, id(2, 1)}, &bad, bytes).empty();
  };
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad.kind = SKEIN_GLOBAL_EVENT + 1; }));
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad.word = id(3, 1); }));
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad.orphaned = SKEIN_ETIME; }));
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad.value_bytes = 8; }));
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad.sent = 1; }));
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad.deaths = 4; }));
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad = {SKEIN_GLOBAL_ROUND, 3, 3, 0, 0, 0, 0, estate_no_value}; }));
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad = {SKEIN_GLOBAL_EVENT, 1, 0, 0, 0, 0, 0, value_most + 1}; }));
  EXPECT_TRUE(refuses([](EstateObject &bad) { bad = {SKEIN_GLOBAL_CONDITION, 5, 0, 0, 0, 0, 0, estate_no_value}; }));

  constexpr uint64_t waits = static_cast<uint64_t>(EstateItem::waiters), one = sizeof(EstateWaiter);
  const EstateWaiter right = {1, 9, SKEIN_GLOBAL_LOCK, 0, id(1, 5)};
  EXPECT_EQ(wrong({waits, one, id(2, 1)}, &right, one), "");
  for (const EstateWaiter &bad :
       {EstateWaiter{3, 9, SKEIN_GLOBAL_LOCK, 0, id(1, 5)}, // there is no node 3
        EstateWaiter{2, 9, SKEIN_GLOBAL_LOCK, 0, id(1, 5)}, // it has left
        EstateWaiter{1, 0, SKEIN_GLOBAL_LOCK, 0, id(1, 5)}, EstateWaiter{1, 9, SKEIN_GLOBAL_SIGNAL, 0, id(1, 5)},
        EstateWaiter{1, 9, SKEIN_GLOBAL_LOCK, 0, 0}})
    EXPECT_NE(wrong({waits, one, id(2, 1)}, &bad, one), "");
  constexpr uint64_t value = static_cast<uint64_t>(EstateItem::value);
  const uint64_t last[] = {value_most, value_most - 8, 1}, beyond[] = {value_most, value_most - 7, 1};
  const uint64_t large[] = {value_most + 8, 0, 1};
  EXPECT_EQ(wrong({value, 24, id(2, 1)}, last, 24), "");
  EXPECT_NE(wrong({value, 24, id(2, 1)}, beyond, 24), "");
  EXPECT_NE(wrong({value, 24, id(2, 1)}, large, 24), "");
}
