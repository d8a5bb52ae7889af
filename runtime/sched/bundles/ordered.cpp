// The policies with one container for all workers behind one lock: fifo, lifo, priority, stamp. They differ only in the
// container.
//
// Priority and stamp are pairing heaps (Fredman, Sedgewick, Sleator and Tarjan, 1986). The links are in the threads
// themselves, so nothing is allocated, and a thread can be removed from the middle:
//
//     first_child   (in the thread)
//     next          the child's next sibling
//     previous      the previous sibling, or the parent of a first child
//
// Equal threads go in the order in which they came, by a number that each gets when it is put (Thread::ordered).
#include "sched/bundle.h"
#include "sched/worker.h"

#include <cstdlib>
#include <new>

namespace skein {

namespace {

/// First in, first out; or the latest first.
template <bool Latest> struct Line {
  List<Thread> list;
  void put(Thread *thread) { Latest ? list.push_front(thread) : list.push_back(thread); }
  Thread *next() { return list.pop_front(); }
  /// `running` goes to the end even of a stack, since it wants others to run.
  Thread *yield(Thread *running) {
    list.push_back(running);
    return next();
  }
  void remove(Thread *thread) { list.remove(thread); }
  Thread *wanted(skein_wanted wanted) { return first_wanted(list, wanted); }
};

bool more_urgent(const Thread *a, const Thread *b) { return a->priority > b->priority; }
bool earlier(const Thread *a, const Thread *b) { return a->stamp < b->stamp; }

/// A heap whose first thread is the one that is `Before` all others.
template <bool (*Before)(const Thread *, const Thread *)> class Heap {
public:
  void put(Thread *thread) {
    thread->ordered.number = ++last_;
    thread->next = thread->previous = nullptr;
    thread->ordered.first_child = nullptr;
    root_ = root_ ? merged(root_, thread) : thread;
    count_++;
  }
  Thread *next() {
    Thread *thread = root_;
    if (thread)
      remove(thread);
    return thread;
  }
  /// Puts `running` behind its equals. It goes on itself if no thread comes before it.
  Thread *yield(Thread *running) {
    put(running);
    return next();
  }
  void remove(Thread *thread) {
    Thread *below = merged_children(thread);
    if (thread == root_) {
      root_ = below;
    } else {
      cut(thread);
      if (below)
        root_ = merged(root_, below);
    }
    count_--;
  }
  /// A thread near the bottom of the heap that may leave, as far as a bounded search finds one: what runs next is not
  /// given away.
  Thread *wanted(skein_wanted wanted) { return root_ ? search(root_, wanted) : nullptr; }

private:
  static void set_child(Thread *thread, Thread *child) {
    thread->ordered.first_child = child;
    if (child)
      child->previous = thread;
  }
  static Thread *sibling(Thread *thread) { return static_cast<Thread *>(thread->next); }

  static bool before(const Thread *a, const Thread *b) {
    return Before(a, b) || (!Before(b, a) && a->ordered.number < b->ordered.number);
  }
  /// Joins two heaps into one.
  static Thread *merged(Thread *a, Thread *b) {
    if (before(b, a)) {
      Thread *other = a;
      a = b;
      b = other;
    }
    Thread *child = a->ordered.first_child;
    b->next = child;
    if (child)
      child->previous = b;
    set_child(a, b);
    a->next = a->previous = nullptr;
    return a;
  }
  /// Cuts a thread, with its children, out of its place among its siblings.
  static void cut(Thread *thread) {
    auto *before = static_cast<Thread *>(thread->previous);
    Thread *after = sibling(thread);
    if (before->ordered.first_child == thread)
      set_child(before, after);
    else {
      before->next = after;
      if (after)
        after->previous = before;
    }
    thread->next = thread->previous = nullptr;
  }
  /// The children of a thread that is removed, as one heap: they are joined in pairs from left to right, and then the
  /// pairs from right to left.
  static Thread *merged_children(Thread *thread) {
    Thread *pairs = nullptr; // linked by next, the last first
    for (Thread *at = thread->ordered.first_child; at;) {
      Thread *a = at, *b = sibling(a);
      at = b ? sibling(b) : nullptr;
      a->next = a->previous = nullptr;
      if (b) {
        b->next = b->previous = nullptr;
        a = merged(a, b);
      }
      a->next = pairs;
      pairs = a;
    }
    set_child(thread, nullptr);
    Thread *all = nullptr;
    while (pairs) {
      Thread *rest = sibling(pairs);
      pairs->next = nullptr;
      all = all ? merged(all, pairs) : pairs;
      pairs = rest;
    }
    return all;
  }
  /// Searches depth first, so that a thread below others is found. Bounded, since the lock is held.
  Thread *search(Thread *from, skein_wanted wanted) {
    Thread *second = nullptr;
    Thread *at = from;
    for (unsigned looks = 0; at && looks < 256; looks++) {
      const Fit fit = thread_fit(at, wanted);
      if (fit == Fit::first && (at != root_ || count_ == 1))
        return at;
      if (fit == Fit::second && !second)
        second = at;
      if (Thread *child = at->ordered.first_child) {
        at = child;
        continue;
      }
      while (at && !sibling(at))
        at = parent(at);
      if (at)
        at = sibling(at);
    }
    return second ? second : thread_fit(from, wanted) != Fit::no ? from : nullptr;
  }
  static Thread *parent(Thread *thread) {
    auto *before = static_cast<Thread *>(thread->previous);
    while (before && before->ordered.first_child != thread) {
      thread = before;
      before = static_cast<Thread *>(thread->previous);
    }
    return before;
  }

  Thread *root_ = nullptr;
  uint64_t last_ = 0;
  uint64_t count_ = 0;
};

template <class Container> struct alignas(64) Shared {
  explicit Shared(void *block) : block(block) {}

  void *const block; // the block of malloc that holds this object, at the next multiple of 64
  SpinLock lock{Rank::queue};
  std::atomic<uint64_t> count{0}; // written under the lock
  Container threads;
};

template <class Container> struct Policy {
  static Shared<Container> &of(skein_bundle *bundle) { return *static_cast<Shared<Container> *>(bundle->data); }

  static int open(skein_bundle *bundle) {
    constexpr size_t step = alignof(Shared<Container>);
    void *block = std::malloc(sizeof(Shared<Container>) + step);
    if (!block)
      return SKEIN_EMEMORY;
    const auto begin = (reinterpret_cast<uintptr_t>(block) + step - 1) & ~(step - 1);
    bundle->data = new (reinterpret_cast<void *>(begin)) Shared<Container>(block);
    return SKEIN_OK;
  }
  static void close(skein_bundle *bundle) { std::free(of(bundle).block); }

  /// Note, under the lock, that the thread is in the container, or no longer. Only `bundle_data` says so: the links do
  /// not, since a blocked thread is in some list as well.
  static void entered(Shared<Container> &shared, Thread *thread) {
    thread->bundle_data.store(&shared, std::memory_order_relaxed);
    shared.count.store(shared.count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  static skein_tcb *removed(Shared<Container> &shared, Thread *thread) {
    thread->bundle_data.store(nullptr, std::memory_order_relaxed);
    shared.count.store(shared.count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return tcb_of(thread);
  }
  static void ready(skein_bundle *bundle, skein_tcb *tcb, unsigned) {
    Shared<Container> &shared = of(bundle);
    Guard guard(shared.lock);
    shared.threads.put(thread_of(tcb));
    entered(shared, thread_of(tcb));
  }
  static skein_tcb *idle(skein_bundle *bundle, unsigned) {
    Shared<Container> &shared = of(bundle);
    if (!shared.count.load(std::memory_order_relaxed))
      return nullptr;
    Guard guard(shared.lock);
    Thread *thread = shared.threads.next();
    return thread ? removed(shared, thread) : nullptr;
  }
  static skein_tcb *yielded(skein_bundle *bundle, skein_tcb *tcb, unsigned) {
    Shared<Container> &shared = of(bundle);
    if (!shared.count.load(std::memory_order_relaxed))
      return nullptr;
    Guard guard(shared.lock);
    if (!shared.count.load(std::memory_order_relaxed))
      return nullptr; // another worker was faster
    Thread *running = thread_of(tcb);
    Thread *next = shared.threads.yield(running);
    if (next == running)
      return nullptr;
    entered(shared, running);
    return removed(shared, next);
  }
  static int take(skein_bundle *bundle, skein_tcb *tcb) {
    Shared<Container> &shared = of(bundle);
    Guard guard(shared.lock);
    Thread *thread = thread_of(tcb);
    if (thread->bundle_data.load(std::memory_order_relaxed) != &shared)
      return 0;
    shared.threads.remove(thread);
    removed(shared, thread);
    return 1;
  }
  static skein_tcb *outgoing(skein_bundle *bundle, skein_wanted wanted, unsigned) {
    Shared<Container> &shared = of(bundle);
    if (!shared.count.load(std::memory_order_relaxed))
      return nullptr;
    Guard guard(shared.lock);
    Thread *thread = shared.threads.wanted(wanted);
    if (!thread)
      return nullptr;
    shared.threads.remove(thread);
    return removed(shared, thread);
  }

  static constexpr skein_bundle_events events(const char *name) {
    return {.name = name,
            .open = open,
            .close = close,
            .thread_unblocked = ready,
            .thread_yielded = yielded,
            .processor_idle = idle,
            .take = take,
            .outgoing = outgoing};
  }
};

} // namespace

} // namespace skein

extern "C" {
constinit const skein_bundle_events skein_bundle_fifo = skein::Policy<skein::Line<false>>::events("fifo");
constinit const skein_bundle_events skein_bundle_lifo = skein::Policy<skein::Line<true>>::events("lifo");
constinit const skein_bundle_events skein_bundle_priority =
    skein::Policy<skein::Heap<skein::more_urgent>>::events("priority");
constinit const skein_bundle_events skein_bundle_stamp = skein::Policy<skein::Heap<skein::earlier>>::events("stamp");
}
