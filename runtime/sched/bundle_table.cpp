// The table of bundles, and what programs do with bundles; see <skein/bundle.h>.
#include "sched/bundle_table.h"

#include "base/knobs.h"
#include "base/log.h"
#include "os/linux/futex.h"
#include "os/linux/memory.h"
#include "sched/time_slices.h"
#include "sched/worker.h"

#include <cstdlib>
#include <cstring>
#include <new>

/// The bundles that the program defines. The linker defines these two names if there is any.
extern "C" const skein_bundle_definition __start_skein_bundles[] __attribute__((weak, visibility("hidden")));
extern "C" const skein_bundle_definition __stop_skein_bundles[] __attribute__((weak, visibility("hidden")));

namespace skein {

static skein_bundle root;
skein_bundle *const bundle_root = &root;

namespace {

constexpr uint32_t bundles_most = 1024;

/// The policies in the order of the knob's choices.
const skein_bundle_events *const library[] = {&skein_bundle_local, &skein_bundle_fifo, &skein_bundle_lifo,
                                              &skein_bundle_priority, &skein_bundle_stamp};
static_assert(sizeof library / sizeof *library == static_cast<size_t>(RootBundle::stamp) + 1);

SpinLock table_lock{Rank::bundle_table};
/// Records of the bundles that the program defines. They are part of the program, so that a pointer to one means the
/// same bundle on every node.
alignas(skein_bundle) unsigned char defined[bundles_most][sizeof(skein_bundle)];
skein_bundle *table[bundles_most] = {&root};
std::atomic<uint32_t> table_count{1};

constexpr uint32_t names_most = skein_bundle::events_most;
char event_names[names_most][32];
uint32_t event_count;

bool of_library(const skein_bundle_events *events) {
  for (const skein_bundle_events *known : library)
    if (events == known)
      return true;
  return false;
}

uint32_t definitions() { return static_cast<uint32_t>(__stop_skein_bundles - __start_skein_bundles); }

/// A record without events: that of a bundle that has ended, or a new one. The records of definitions are made first,
/// in their order.
skein_bundle *new_record(uint32_t definition) {
  Guard guard(table_lock);
  const uint32_t count = table_count.load(std::memory_order_relaxed);
  for (uint32_t i = 1; i < count; i++)
    if (table[i]->number == bundles_most) {
      table[i]->number = i;
      return table[i];
    }
  if (count == bundles_most)
    return nullptr;
  const size_t page = page_bytes();
  void *memory = definition == bundle_local ? memory_allocate((sizeof(skein_bundle) + page - 1) / page * page)
                                            : defined[definition];
  if (!memory)
    return nullptr;
  table[count] = new (memory) skein_bundle();
  table[count]->number = count;
  long_way(long_bundles, true);
  table_count.store(count + 1, std::memory_order_release); // pairs with the acquire in bundle_count
  return table[count];
}

/// Lets `events` set up their data. Where they set up none, it is `data`.
int prepare(skein_bundle &bundle, const skein_bundle_events *events, void *data) {
  bundle.data = data;
  return events->open ? events->open(&bundle) : SKEIN_OK;
}

void publish(skein_bundle &bundle, const skein_bundle_events *events) {
  if (&bundle == bundle_root && events == &skein_bundle_local)
    long_way(long_policy, false);
  bundle.foreign = !of_library(events);
  bundle.events.store(events, std::memory_order_release); // pairs with the acquire in Visit
  const uint64_t slice_ns = slice_ns_of(*events);
  if (bundle.slice_ns.exchange(slice_ns, std::memory_order_relaxed) != slice_ns)
    slices_changed();
}

void set_name(skein_bundle &bundle, const char *name) {
  std::strncpy(bundle.name, name ? name : "", sizeof bundle.name - 1);
}

skein_bundle *create(const char *name, const skein_bundle_events *events, skein_bundle &parent, uint32_t definition,
                     void *data = nullptr) {
  skein_bundle *bundle = new_record(definition);
  if (!bundle)
    return nullptr;
  set_name(*bundle, name);
  bundle->parent.store(&parent, std::memory_order_relaxed);
  bundle->definition = definition;
  if (prepare(*bundle, events, data)) {
    bundle->number = bundles_most;
    return nullptr;
  }
  publish(*bundle, events);
  parent.children.fetch_add(1, std::memory_order_relaxed);
  const skein_bundle_events *above = parent.events.load(std::memory_order_acquire);
  if (above && above->bundle_created)
    above->bundle_created(&parent, bundle);
  return bundle;
}

/// Takes all threads out of a closed bundle.
void drain(skein_bundle &bundle, const skein_bundle_events *events, List<Thread> &ready) {
  for (bool any = true; any;) {
    any = false;
    for (uint32_t i = 0, n = workers_running(); i < n; i++)
      while (skein_tcb *tcb = events->processor_idle(&bundle, i)) {
        ready.push_back(thread_of(tcb));
        any = true;
      }
  }
}

} // namespace

uint32_t bundle_count() { return table_count.load(std::memory_order_acquire); }
skein_bundle *bundle_at(uint32_t number) { return table[number]; }

void bundles_start() {
  const skein_bundle_events *events = library[static_cast<size_t>(knobs.bundle)];
  set_name(root, "root");
  if (prepare(root, events, nullptr))
    fatal("no memory for the root bundle");
  publish(root, events);
  for (uint32_t i = 0; i < definitions(); i++) {
    const skein_bundle_definition &definition = __start_skein_bundles[i];
    if (!create(definition.name, definition.events, root, i + 1))
      fatal("SKEIN_BUNDLE %s: its events '%s' cannot be opened, or there are more than %u bundles", definition.name,
            definition.events->name, bundles_most);
  }
}

void bundles_after_fork(Thread *self) {
  new (&table_lock) SpinLock(Rank::bundle_table);
  bundle_visits_after_fork();
  for (uint32_t i = 0, n = bundle_count(); i < n; i++) {
    skein_bundle &bundle = *table[i];
    const skein_bundle_events *events = bundle.events.load(std::memory_order_relaxed);
    new (&bundle.changing) SpinLock(Rank::bundle);
    new (&bundle.handlers_lock) SpinLock(Rank::leaf);
    bundle.threads.store(&bundle == self->bundle && &bundle != bundle_root, std::memory_order_relaxed);
    if (int code = events ? prepare(bundle, events, bundle.data) : 0)
      fatal("after fork: bundle %s cannot be opened (error %d)", bundle.name, code);
  }
}

skein_bundle *bundle_create_with(const char *name, const skein_bundle_events *events, skein_bundle *parent,
                                 void *data) {
  return create(name, events, parent ? *parent : root, bundle_local, data);
}

skein_bundle *bundle_of_definition(uint32_t definition) {
  return definition <= definitions() ? table[definition] : nullptr; // created first, in order
}

} // namespace skein

using namespace skein;

extern "C" {

struct skein_bundle *skein_bundle_create(const char *name, const struct skein_bundle_events *events,
                                         struct skein_bundle *parent) {
  return bundle_create_with(name, events, parent, nullptr);
}

struct skein_bundle *skein_bundle_defined(const struct skein_bundle_definition *definition) {
  return bundle_of_definition(static_cast<uint32_t>(definition - __start_skein_bundles) + 1);
}

int skein_bundle_destroy(struct skein_bundle *bundle) {
  Thread *self = thread_current();
  if (!self)
    return SKEIN_ETHREAD;
  Guard guard(bundle->changing);
  // acquire: pairs with the release of the last thread that left.
  const uint64_t threads = bundle->threads.load(std::memory_order_acquire);
  const uint32_t children = bundle->children.load(std::memory_order_relaxed);
  if (bundle == bundle_root || bundle->definition != bundle_local)
    return thread_error(self, SKEIN_ETHREAD,
                        "skein_bundle_destroy: bundle %s lives as long as the program, on every node", bundle->name);
  if (threads || children)
    return thread_error(self, SKEIN_ETHREAD, "skein_bundle_destroy: %llu threads and %u bundles live in bundle %s",
                        static_cast<unsigned long long>(threads), children, bundle->name);
  skein_bundle &parent = *bundle->parent.load(std::memory_order_relaxed);
  const skein_bundle_events *above = parent.events.load(std::memory_order_acquire);
  if (above && above->bundle_terminated)
    above->bundle_terminated(&parent, bundle);
  const skein_bundle_events *events = bundle_close(*bundle);
  bundle->slice_ns.store(forever, std::memory_order_relaxed);
  bundle->limit.store(0, std::memory_order_relaxed);
  if (events->close)
    events->close(bundle);
  for (skein_bundle::Handler &handler : bundle->handlers)
    handler = {};
  bundle->parent.store(bundle_root, std::memory_order_relaxed);
  parent.children.fetch_sub(1, std::memory_order_relaxed);
  Guard table_guard(table_lock);
  bundle->number = bundles_most;
  return SKEIN_OK;
}

int skein_bundle_events_set(struct skein_bundle *bundle, const struct skein_bundle_events *events) {
  List<Thread> others; // threads of other bundles, which these events had taken as well
  int code;
  {
    Guard guard(bundle->changing);
    List<Thread> ready;
    const skein_bundle_events *before = bundle_close(*bundle);
    drain(*bundle, before, ready);
    void *data = bundle->data;
    code = prepare(*bundle, events, nullptr);
    const skein_bundle_events *now = code ? before : events;
    void *other = bundle->data;
    bundle->data = data;
    if (!code) {
      if (before->close)
        before->close(bundle);
      bundle->data = other;
    }
    while (Thread *thread = ready.pop_front()) {
      if (thread->bundle != bundle) {
        others.push_back(thread);
        continue;
      }
      thread->bundle_data.store(nullptr, std::memory_order_relaxed);
      now->thread_unblocked(bundle, tcb_of(thread), thread->worker);
    }
    publish(*bundle, now);
  }
  // The bundles of these threads may be closed at the moment, and have taken threads of this one. So they are returned
  // only now that this one is open again.
  while (Thread *thread = others.pop_front())
    bundle_return(thread);
  Thread *self = thread_current(); // null in the handler of a message
  return code && self ? thread_error(self, code, "skein_bundle_events_set: '%s' cannot be opened for bundle %s",
                                     events->name, bundle->name)
                      : code;
}

struct skein_bundle *skein_bundle_root(void) { return bundle_root; }

struct skein_bundle *skein_bundle_self(void) {
  Thread *self = thread_current();
  return self ? self->bundle : nullptr;
}

struct skein_bundle *skein_bundle_parent(const struct skein_bundle *bundle) {
  return bundle->parent.load(std::memory_order_relaxed);
}
const char *skein_bundle_name(const struct skein_bundle *bundle) { return bundle->name; }
const struct skein_bundle_events *skein_bundle_events_of(const struct skein_bundle *bundle) {
  return bundle->events.load(std::memory_order_acquire);
}
uint64_t skein_bundle_threads(const struct skein_bundle *bundle) {
  return bundle->threads.load(std::memory_order_relaxed);
}

void *skein_bundle_data(const struct skein_bundle *bundle) { return bundle->data; }
void skein_bundle_data_set(struct skein_bundle *bundle, void *data) { bundle->data = data; }

int skein_tcb_started(const struct skein_tcb *thread) { return static_cast<bool>(thread_of(thread)->stack); }
int skein_tcb_may_leave(const struct skein_tcb *thread) { return thread_may_leave(thread_of(thread)); }

skein_event_t skein_event(const char *name) {
  Guard guard(table_lock);
  for (uint32_t i = 0; i < event_count; i++)
    if (std::strncmp(event_names[i], name, sizeof event_names[i] - 1) == 0)
      return i + 1;
  if (event_count == names_most)
    return 0;
  std::strncpy(event_names[event_count], name, sizeof event_names[0] - 1);
  return ++event_count;
}

int skein_bundle_on(struct skein_bundle *bundle, skein_event_t event, skein_event_handler handler, void *context) {
  if (!event || event > names_most)
    return SKEIN_ETHREAD;
  Guard guard(bundle->handlers_lock);
  bundle->handlers[event - 1] = {handler, context};
  return SKEIN_OK;
}

int skein_bundle_raise(struct skein_bundle *bundle, skein_event_t event, void *argument) {
  if (!event || event > names_most)
    return 0;
  for (; bundle; bundle = bundle->parent.load(std::memory_order_relaxed)) {
    skein_bundle::Handler handler;
    {
      Guard guard(bundle->handlers_lock);
      handler = bundle->handlers[event - 1];
    }
    if (handler.function) {
      handler.function(bundle, argument, handler.context);
      return 1;
    }
  }
  return 0;
}
}
