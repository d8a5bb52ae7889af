// Bundles: these tests check what each policy of the library does (on one worker for the order, on several for the
// races), hierarchies, changes of a policy under load, a program's own events, and its own handlers.
#include "../in_scheduler.h"
#include "sched/bundle.h"

#include <atomic>
#include <gtest/gtest.h>
#include <skein/bundle.h>
#include <string>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

std::string trace;
void note(int name) { trace += static_cast<char>('a' + name); }
void note_and_yield(int name, int times) {
  for (int i = 0; i < times; i++) {
    note(name);
    skein_yield();
  }
}

uint64_t in_bundle(skein_bundle *bundle, void (*function)(int), int name, int priority = 0, uint64_t stamp = 0) {
  skein_attributes attributes{};
  attributes.bundle = bundle;
  attributes.priority = priority;
  attributes.stamp = stamp;
  return spawn_with(attributes, function, name);
}

/// The order in which threads of a policy run that were created with these keys.
std::string order(const skein_bundle_events &events, std::vector<int> keys) {
  trace.clear();
  in_scheduler(1, [&] {
    skein_bundle *bundle = skein_bundle_create("test", &events, nullptr);
    ASSERT_NE(bundle, nullptr);
    std::vector<uint64_t> ids;
    for (size_t i = 0; i < keys.size(); i++)
      ids.push_back(in_bundle(bundle, note, static_cast<int>(i), keys[i], static_cast<uint64_t>(keys[i])));
    EXPECT_EQ(skein_bundle_threads(bundle), keys.size());
    for (uint64_t id : ids)
      EXPECT_EQ(skein_join(id), SKEIN_OK);
    EXPECT_EQ(skein_bundle_destroy(bundle), SKEIN_OK) << skein_error_text();
  });
  return trace;
}

TEST(Bundles, OrderOfThePolicies) {
  EXPECT_EQ(order(skein_bundle_fifo, {0, 0, 0, 0}), "abcd");
  EXPECT_EQ(order(skein_bundle_lifo, {0, 0, 0, 0}), "dcba");
  EXPECT_EQ(order(skein_bundle_local, {0, 0, 0, 0}), "dcba");
  EXPECT_EQ(order(skein_bundle_priority, {1, 5, 3, 5, 1, 9}), "fbdcae");
  EXPECT_EQ(order(skein_bundle_stamp, {1, 5, 3, 5, 1, 9}), "aecbdf");
}

/// The heap gets many keys, of which some change while they wait, and some are taken out of the middle.
TEST(Bundles, HeapAgainstSorting) {
  static std::vector<int> ran;
  in_scheduler(1, [] {
    unsigned random = 1;
    auto next = [&] { return (random = random * 1103515245 + 12345) >> 16; };
    for (int round = 0; round < 20; round++) {
      skein_bundle *bundle = skein_bundle_create("heap", &skein_bundle_priority, nullptr);
      ran.clear();
      std::vector<uint64_t> ids;
      std::vector<int> keys;
      for (int i = 0; i < 300; i++) {
        keys.push_back(static_cast<int>(next() % 50));
        ids.push_back(in_bundle(bundle, [](int name) { ran.push_back(name); }, i, keys.back()));
      }
      for (int i = 0; i < 100; i++) {
        const size_t which = next() % ids.size();
        keys[which] = static_cast<int>(next() % 50);
        EXPECT_EQ(skein_priority_set(ids[which], keys[which]), SKEIN_OK);
      }
      for (uint64_t id : ids)
        skein_join(id);
      ASSERT_EQ(ran.size(), 300u);
      for (size_t i = 1; i < ran.size(); i++)
        EXPECT_GE(keys[static_cast<size_t>(ran[i - 1])], keys[static_cast<size_t>(ran[i])]);
      EXPECT_EQ(skein_bundle_destroy(bundle), SKEIN_OK);
    }
  });
}

TEST(Bundles, YieldLetsEqualsRunButNotLesserOnes) {
  trace.clear();
  in_scheduler(1, [] {
    skein_bundle *bundle = skein_bundle_create("p", &skein_bundle_priority, nullptr);
    std::vector<uint64_t> ids;
    for (int i = 0; i < 3; i++) {
      skein_attributes attributes{};
      attributes.bundle = bundle;
      attributes.priority = i == 2 ? 1 : 2;
      ids.push_back(spawn_with(attributes, note_and_yield, i, 3));
    }
    for (uint64_t id : ids)
      skein_join(id);
    skein_bundle_destroy(bundle);
  });
  EXPECT_EQ(trace, "abababccc");
}

TEST(Bundles, AlwaysBusyBundleDoesNotStarveOthers) {
  static bool stop;
  stop = false;
  in_scheduler(1, [] {
    skein_bundle *busy = skein_bundle_create("busy", &skein_bundle_lifo, nullptr);
    skein_bundle *other = skein_bundle_create("other", &skein_bundle_fifo, nullptr);
    auto spin = [](int) {
      while (!stop)
        skein_yield();
    };
    uint64_t a = in_bundle(busy, spin, 0), b = in_bundle(busy, spin, 0);
    uint64_t c = in_bundle(other, [](int) { stop = true; }, 0);
    for (uint64_t id : {a, b, c})
      skein_join(id);
    EXPECT_EQ(skein_bundle_destroy(busy), SKEIN_OK);
    EXPECT_EQ(skein_bundle_destroy(other), SKEIN_OK);
  });
  EXPECT_TRUE(stop);
}

/// A thread forks and joins as deep as `depth`. `living` counts the threads that have begun and not ended, and `most`
/// is the highest count.
int living, most;
void forks(int depth) {
  most = std::max(most, ++living);
  if (depth > 0) {
    uint64_t a = spawn(forks, depth - 1), b = spawn(forks, depth - 1);
    skein_join(a);
    skein_join(b);
  }
  living--;
}

TEST(Bundles, LocalForksDepthFirst) {
  living = most = 0;
  in_scheduler(1, [] { skein_join(spawn(forks, 12)); });
  EXPECT_EQ(living, 0);
  EXPECT_LT(most, 12 * 12) << "of " << (2 << 12) - 1 << " threads have begun at once";
}

TEST(Bundles, LocalGivesThievesTheOldest) {
  in_scheduler(1, [] {
    std::vector<uint64_t> ids;
    for (int i = 0; i < 5; i++)
      ids.push_back(spawn(forks, 0));
    for (int i = 0; i < 2; i++) {
      Thread *taken = take_ready_for_steal();
      ASSERT_NE(taken, nullptr);
      EXPECT_EQ(taken->id, ids[static_cast<size_t>(i)]);
      taken->state.store(ThreadState::initialised);
      thread_launch(taken); // now it is the newest
      ids.push_back(ids[static_cast<size_t>(i)]);
    }
    for (uint64_t id : ids)
      skein_join(id);
  });
}

/// A thread that yields must neither starve those that have not begun, however many come after them, nor be starved by
/// them. The same goes for a thread that waits to begin after all that come.
TEST(Bundles, LocalStarvesNobody) {
  static long yields, spawned, begun;
  static bool first_ran, over;
  for (unsigned workers : {1u, 2u}) {
    yields = spawned = begun = 0;
    first_ran = over = false;
    in_scheduler(workers, [] {
      uint64_t first = spawn(+[] { __atomic_store_n(&first_ran, true, __ATOMIC_RELEASE); });
      uint64_t yielder = spawn(+[] {
        while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
          __atomic_add_fetch(&yields, 1, __ATOMIC_RELAXED);
          skein_yield();
        }
      });
      // Each turn spawns two new ones, so the newest are always those that came last. On a loaded machine the other
      // worker may stand still for a while, so the number of turns is a bound, and not what is tested.
      const auto all_had_turns = [] {
        return __atomic_load_n(&first_ran, __ATOMIC_ACQUIRE) && __atomic_load_n(&yields, __ATOMIC_RELAXED) > 100 &&
               __atomic_load_n(&begun, __ATOMIC_RELAXED) > 100;
      };
      while (spawned < 20000 || (spawned < 1000000 && !all_had_turns())) {
        for (int i = 0; i < 2; i++, spawned++)
          spawn(+[] { __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED); });
        skein_yield();
      }
      EXPECT_TRUE(__atomic_load_n(&first_ran, __ATOMIC_ACQUIRE)) << "the first one waits behind all later ones";
      EXPECT_GT(__atomic_load_n(&yields, __ATOMIC_RELAXED), 100) << "who yields starves";
      EXPECT_GT(__atomic_load_n(&begun, __ATOMIC_RELAXED), 100) << "who yields starves others";
      __atomic_store_n(&over, true, __ATOMIC_RELEASE);
      EXPECT_EQ(skein_join(first), SKEIN_OK);
      EXPECT_EQ(skein_join(yielder), SKEIN_OK);
    });
    EXPECT_EQ(begun, spawned);
  }
}

TEST(Bundles, ChildrenAreInTheBundleOfTheirParentAndDestroyWaitsForThem) {
  in_scheduler(1, [] {
    skein_bundle *bundle = skein_bundle_create("family", &skein_bundle_fifo, nullptr);
    static skein_bundle *seen;
    uint64_t id = in_bundle(bundle, [](int) { skein_join(spawn(+[] { seen = skein_bundle_self(); })); }, 0);
    EXPECT_EQ(skein_bundle_destroy(bundle), SKEIN_ETHREAD);
    EXPECT_STREQ(skein_error_text(), "skein_bundle_destroy: 1 threads and 0 bundles live in bundle family");
    skein_join(id);
    EXPECT_EQ(seen, bundle);
    EXPECT_EQ(skein_bundle_destroy(bundle), SKEIN_OK);
    EXPECT_EQ(skein_bundle_destroy(skein_bundle_root()), SKEIN_ETHREAD);
  });
}

// A policy of the program. It keeps threads in a list of its own, counts events, and forwards "idle" to another bundle.
struct Counted {
  skein_tcb *first = nullptr;
  skein_bundle *other = nullptr;
  int created = 0, unblocked = 0, started = 0, blocked = 0, terminated = 0, bundles = 0;
};
Counted *counted_of(skein_bundle *bundle) { return static_cast<Counted *>(skein_bundle_data(bundle)); }
void push(skein_bundle *bundle, skein_tcb *thread) {
  thread->next = counted_of(bundle)->first;
  counted_of(bundle)->first = thread;
}
skein_bundle_events counted_events() {
  skein_bundle_events events{};
  events.name = "counted";
  events.open = [](skein_bundle *bundle) {
    skein_bundle_data_set(bundle, new Counted());
    return 0;
  };
  events.close = [](skein_bundle *bundle) { delete counted_of(bundle); };
  events.thread_created = [](skein_bundle *bundle, skein_tcb *thread, unsigned) {
    counted_of(bundle)->created++;
    push(bundle, thread);
  };
  events.thread_unblocked = [](skein_bundle *bundle, skein_tcb *thread, unsigned) {
    counted_of(bundle)->unblocked++;
    push(bundle, thread);
  };
  events.thread_started = [](skein_bundle *bundle, skein_tcb *, unsigned) { counted_of(bundle)->started++; };
  events.thread_blocked = [](skein_bundle *bundle, skein_tcb *, unsigned) { counted_of(bundle)->blocked++; };
  events.thread_terminated = [](skein_bundle *bundle, skein_tcb *, unsigned) { counted_of(bundle)->terminated++; };
  events.bundle_created = [](skein_bundle *bundle, skein_bundle *) { counted_of(bundle)->bundles++; };
  events.bundle_terminated = [](skein_bundle *bundle, skein_bundle *) { counted_of(bundle)->bundles += 100; };
  events.processor_idle = [](skein_bundle *bundle, unsigned worker) -> skein_tcb * {
    Counted *counted = counted_of(bundle);
    skein_tcb *thread = counted->first;
    if (thread) {
      counted->first = thread->next;
      thread->next = nullptr;
      return thread;
    }
    return counted->other ? skein_bundle_idle(counted->other, worker) : nullptr;
  };
  return events;
}

TEST(Bundles, AllEventsReachAPolicyOfTheProgram) {
  static const skein_bundle_events events = counted_events();
  in_scheduler(1, [] {
    skein_bundle *bundle = skein_bundle_create("mine", &events, nullptr);
    Counted *counted = counted_of(bundle);
    skein_bundle *child = skein_bundle_create("child", &skein_bundle_fifo, bundle);
    EXPECT_EQ(skein_bundle_parent(child), bundle);
    uint64_t id = in_bundle(
        bundle,
        [](int) {
          skein_join(spawn(note, 0));
          skein_yield();
        },
        0);
    skein_join(id);
    EXPECT_EQ(counted->created, 2);
    EXPECT_EQ(counted->started, 2);
    EXPECT_EQ(counted->terminated, 2);
    EXPECT_EQ(counted->blocked, 1);
    EXPECT_EQ(counted->unblocked, 1);
    EXPECT_EQ(counted->bundles, 1);
    skein_bundle_destroy(child);
    EXPECT_EQ(counted->bundles, 101);
    // Without take and outgoing its threads cannot be taken.
    uint64_t waiting = in_bundle(bundle, note, 0);
    EXPECT_EQ(skein_yield_to(waiting), SKEIN_ETHREAD);
    EXPECT_EQ(take_ready_for_steal(), nullptr);
    skein_join(waiting);
    EXPECT_EQ(skein_bundle_destroy(bundle), SKEIN_OK);
  });
}

TEST(Bundles, IdleIsForwardedToAnotherBundle) {
  static const skein_bundle_events events = counted_events();
  trace.clear();
  in_scheduler(1, [] {
    skein_bundle *mine = skein_bundle_create("mine", &events, nullptr);
    skein_bundle *other = skein_bundle_create("other", &skein_bundle_lifo, nullptr);
    counted_of(mine)->other = other;
    uint64_t a = in_bundle(other, note, 0), b = in_bundle(other, note, 1);
    skein_tcb *tcb = skein_bundle_idle(mine, 0);
    ASSERT_NE(tcb, nullptr);
    EXPECT_EQ(tcb->id, b);
    skein_bundle_events_of(other)->thread_unblocked(other, tcb, 0);
    skein_join(a);
    skein_join(b);
    skein_bundle_destroy(mine);
    skein_bundle_destroy(other);
  });
  EXPECT_EQ(trace.size(), 2u);
}

TEST(Bundles, EventsOfTheProgramGoUpToWhoeverHandlesThem) {
  in_scheduler(1, [] {
    skein_bundle *above = skein_bundle_create("above", &skein_bundle_fifo, nullptr);
    skein_bundle *below = skein_bundle_create("below", &skein_bundle_fifo, above);
    skein_event_t event = skein_event("collect");
    EXPECT_EQ(skein_event("collect"), event);
    EXPECT_NE(skein_event("other"), event);
    EXPECT_EQ(skein_bundle_raise(below, event, nullptr), 0);
    int heard = 0;
    skein_event_handler handler = [](skein_bundle *bundle, void *argument, void *context) {
      EXPECT_STREQ(skein_bundle_name(bundle), "above");
      *static_cast<int *>(context) += *static_cast<int *>(argument);
    };
    EXPECT_EQ(skein_bundle_on(above, event, handler, &heard), SKEIN_OK);
    int seven = 7;
    EXPECT_EQ(skein_bundle_raise(below, event, &seven), 1);
    EXPECT_EQ(heard, 7);
    skein_bundle_on(above, event, nullptr, nullptr);
    EXPECT_EQ(skein_bundle_raise(below, event, &seven), 0);
    EXPECT_EQ(skein_bundle_destroy(above), SKEIN_ETHREAD); // it has a child
    EXPECT_EQ(skein_bundle_destroy(below), SKEIN_OK);
    EXPECT_EQ(skein_bundle_destroy(above), SKEIN_OK);
  });
}

TEST(Bundles, YieldToAndBoundThreads) {
  trace.clear();
  in_scheduler(1, [] {
    uint64_t a = spawn(note, 0), b = spawn(note, 1), c = spawn(note, 2);
    EXPECT_EQ(skein_yield_to(c), SKEIN_OK);
    EXPECT_EQ(trace[0], 'c');
    EXPECT_EQ(skein_yield_to(c), SKEIN_ETHREAD);
    EXPECT_STREQ(skein_error_text(),
                 ("skein_yield_to: thread " + std::string(thread_name(c).text) + " is not on this node").c_str());
    skein_join(a);
    skein_join(b);
    skein_attributes attributes{};
    attributes.worker = SKEIN_ON(5);
    EXPECT_EQ(spawn_with(attributes, note, 3), 0u);
    EXPECT_NE(std::string(skein_error_text()).find("there is no worker 5 on node 0, only 0 to 0"), std::string::npos)
        << skein_error_text();
    attributes.worker = 0;
    attributes.node = SKEIN_ON(1);
    EXPECT_EQ(spawn_with(attributes, note, 3), 0u);
    EXPECT_NE(std::string(skein_error_text()).find("there is no node 1"), std::string::npos) << skein_error_text();
    EXPECT_EQ(threads_living(), 1u);
  });
  static std::atomic<int> wrong, ran;
  wrong = ran = 0;
  in_scheduler(4, [] {
    std::vector<uint64_t> ids;
    for (int i = 0; i < 40; i++) {
      skein_attributes attributes{};
      attributes.worker = SKEIN_ON(i % 4);
      attributes.name = "bound thread with a long name";
      ids.push_back(spawn_with(
          attributes,
          +[](int worker) {
            for (int turn = 0; turn < 50; turn++) {
              wrong += skein_worker() != static_cast<unsigned>(worker);
              skein_yield();
            }
            ran++;
          },
          i % 4));
    }
    char name[16];
    if (skein_name(ids.back(), name))
      EXPECT_STREQ(name, "bound thread wi");
    for (uint64_t id : ids)
      skein_join(id);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ran, 40);
}

const skein_bundle_events *const library[] = {&skein_bundle_local, &skein_bundle_fifo, &skein_bundle_lifo,
                                              &skein_bundle_priority, &skein_bundle_stamp};

/// Threads spawn, yield, join and change their keys on four workers, while another kernel thread takes threads away and
/// gives them back. Each must run to its end exactly once.
std::atomic<int> ended;
void family(int depth) {
  skein_priority_set(skein_self(), depth);
  if (depth > 0) {
    uint64_t a = spawn(family, depth - 1), b = spawn(family, depth - 1);
    skein_yield();
    skein_join(a);
    skein_yield();
    skein_join(b);
  }
  ended++;
}

class EachPolicy : public testing::TestWithParam<const skein_bundle_events *> {};

TEST_P(EachPolicy, NobodyIsLostOrDoubled) {
  const skein_bundle_events *events = GetParam();
  ended = 0;
  in_scheduler(4, [=] {
    skein_bundle *bundle = skein_bundle_create("many", events, nullptr);
    std::vector<uint64_t> roots;
    for (int i = 0; i < 8; i++)
      roots.push_back(in_bundle(bundle, family, 8));
    for (int i = 0; i < 2000; i++) {
      bundle->definition = 1; // makes thieves look at it
      if (Thread *taken = take_ready_for_steal(i % 2 ? SKEIN_WANT_FRESH_FIRST : SKEIN_WANT_STARTED_FIRST))
        thread_ready(taken);
      bundle->definition = bundle_local;
      ThreadState state;
      if (Thread *taken = take_ready(roots[static_cast<size_t>(i) % 8], &state))
        thread_ready(taken);
      skein_yield();
    }
    for (uint64_t id : roots)
      skein_join(id);
    EXPECT_EQ(skein_bundle_destroy(bundle), SKEIN_OK) << skein_error_text();
    while (threads_living() > 1) // those that have ended still have records
      skein_yield();
    EXPECT_EQ(threads_ready(), 0u);
  });
  EXPECT_EQ(ended, 8 * 511);
}

TEST_P(EachPolicy, CanBeExchangedUnderLoad) {
  const skein_bundle_events *events = GetParam();
  ended = 0;
  in_scheduler(4, [=] {
    skein_bundle *bundle = skein_bundle_create("changes", &skein_bundle_fifo, nullptr);
    std::vector<uint64_t> roots;
    for (int i = 0; i < 8; i++)
      roots.push_back(in_bundle(bundle, family, 8));
    for (int i = 0; i < 200; i++) {
      EXPECT_EQ(skein_bundle_events_set(bundle, i % 2 ? &skein_bundle_fifo : events), SKEIN_OK);
      EXPECT_EQ(skein_bundle_events_set(skein_bundle_root(), i % 2 ? &skein_bundle_local : events), SKEIN_OK);
      skein_yield();
    }
    EXPECT_EQ(skein_bundle_events_set(skein_bundle_root(), &skein_bundle_local), SKEIN_OK);
    for (uint64_t id : roots)
      skein_join(id);
    EXPECT_EQ(skein_bundle_destroy(bundle), SKEIN_OK) << skein_error_text();
  });
  EXPECT_EQ(ended, 8 * 511);
}

INSTANTIATE_TEST_SUITE_P(Library, EachPolicy, testing::ValuesIn(library),
                         [](const auto &info) { return std::string(info.param->name); });

TEST(Bundles, WhatCannotBeOpenedChangesNothing) {
  static skein_bundle_events broken = skein_bundle_fifo;
  broken.name = "broken";
  broken.open = [](skein_bundle *) -> int { return SKEIN_EMEMORY; };
  trace.clear();
  in_scheduler(1, [] {
    EXPECT_EQ(skein_bundle_create("none", &broken, nullptr), nullptr);
    skein_bundle *bundle = skein_bundle_create("some", &skein_bundle_lifo, nullptr);
    uint64_t a = in_bundle(bundle, note, 0), b = in_bundle(bundle, note, 1);
    EXPECT_EQ(skein_bundle_events_set(bundle, &broken), SKEIN_EMEMORY);
    EXPECT_STREQ(skein_error_text(), "skein_bundle_events_set: 'broken' cannot be opened for bundle some");
    skein_join(a);
    skein_join(b);
    skein_bundle_destroy(bundle);
  });
  EXPECT_EQ(trace.size(), 2u);
}

// When events that ask another bundle are changed, the threads that they have taken go back to where they were.
TEST(Bundles, EventsThatAskAnotherBundleAreChanged) {
  static skein_bundle *first;
  static skein_bundle_events first_of_another = skein_bundle_fifo;
  first_of_another.name = "first of another";
  first_of_another.processor_idle = [](skein_bundle *bundle, unsigned worker) {
    skein_tcb *thread = skein_bundle_idle(first, worker);
    return thread ? thread : skein_bundle_fifo.processor_idle(bundle, worker);
  };
  trace.clear();
  in_scheduler(1, [] {
    first = skein_bundle_create("first", &skein_bundle_fifo, nullptr);
    skein_bundle *then = skein_bundle_create("then", &first_of_another, nullptr);
    uint64_t threads[] = {in_bundle(then, note, 0), in_bundle(first, note, 1), in_bundle(then, note, 2),
                          in_bundle(first, note, 3)};
    EXPECT_EQ(skein_bundle_events_set(then, &skein_bundle_lifo), SKEIN_OK);
    EXPECT_EQ(skein_bundle_events_set(then, &first_of_another), SKEIN_OK);
    EXPECT_EQ(skein_bundle_events_set(first, &skein_bundle_lifo), SKEIN_OK);
    for (uint64_t id : threads)
      skein_join(id);
    EXPECT_EQ(skein_bundle_destroy(then), SKEIN_OK) << skein_error_text();
    EXPECT_EQ(skein_bundle_destroy(first), SKEIN_OK) << skein_error_text();
  });
  EXPECT_EQ(trace, "dbca");
}

// This is the FIFO of Ariadne's Figure 7, in four functions.
struct Line {
  skein_tcb *first = nullptr, *last = nullptr;
};
TEST(Bundles, AriadnesFourUpCalls) {
  static Line line;
  static const skein_ariadne calls = {[](void *context) -> skein_tcb * {
                                        auto *line = static_cast<Line *>(context);
                                        skein_tcb *thread = line->first;
                                        if (thread) {
                                          line->first = thread->next;
                                          thread->next = nullptr;
                                        }
                                        return thread;
                                      },
                                      [](void *context, skein_tcb *thread) {
                                        auto *line = static_cast<Line *>(context);
                                        (line->first ? line->last->next : line->first) = thread;
                                        line->last = thread;
                                      },
                                      nullptr,
                                      [](void *context, skein_thread_t id) -> skein_tcb * {
                                        auto *line = static_cast<Line *>(context);
                                        for (skein_tcb **at = &line->first, *before = nullptr; *at;
                                             before = *at, at = &(*at)->next)
                                          if ((*at)->id == id) {
                                            skein_tcb *thread = *at;
                                            *at = thread->next;
                                            if (line->last == thread)
                                              line->last = before;
                                            thread->next = nullptr;
                                            return thread;
                                          }
                                        return nullptr;
                                      },
                                      &line};
  trace.clear();
  in_scheduler(1, [] {
    skein_bundle *bundle = skein_bundle_create_ariadne("figure 7", &calls, nullptr);
    uint64_t a = in_bundle(bundle, note, 0), b = in_bundle(bundle, note, 1), c = in_bundle(bundle, note, 2);
    EXPECT_EQ(skein_yield_to(b), SKEIN_OK);
    for (uint64_t id : {a, b, c})
      skein_join(id);
    EXPECT_EQ(skein_bundle_destroy(bundle), SKEIN_OK);
  });
  EXPECT_EQ(trace, "bac");
}

TEST(BundlesDeathTest, AHandlerMustNotBlockAndMustUnlink) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  static skein_bundle_events events = counted_events();
  events.thread_terminated = [](skein_bundle *, skein_tcb *thread, unsigned) { skein_join(thread->id + 1); };
  EXPECT_EXIT(in_scheduler(1, [] { skein_join(in_bundle(skein_bundle_create("x", &events, nullptr), note, 0)); }),
              testing::ExitedWithCode(70), "skein_join was called outside of any Skein thread");
  static skein_bundle_events forgets = counted_events();
  forgets.processor_idle = [](skein_bundle *bundle, unsigned) -> skein_tcb * {
    skein_tcb *thread = counted_of(bundle)->first;
    counted_of(bundle)->first = thread ? thread->next : nullptr;
    return thread;
  };
  EXPECT_EXIT(in_scheduler(1,
                           [] {
                             skein_bundle *bundle = skein_bundle_create("x", &forgets, nullptr);
                             in_bundle(bundle, note, 0);
                             skein_join(in_bundle(bundle, note, 1));
                           }),
              testing::ExitedWithCode(70), "let go of thread .*, whose `next` is not NULL");
}

} // namespace
