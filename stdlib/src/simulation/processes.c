/* Processes of a simulation: the bundle that decides which goes on, and what they call; see simulation.h. */
#include "simulation/simulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SKEIN_NODE_LOCAL struct simulation simulation;

/* Several workers may ask the bundle at the same time. The kernel thread that handles messages does not take it, since
 * it would nap if it had taken the core from whoever holds it: it leaves threads in `inbox` and `woken`. */
SKEIN_NODE_LOCAL static atomic_flag locked = ATOMIC_FLAG_INIT;

SKEIN_NOMIGRATE static void lock(void) { library_lock(&locked); }
SKEIN_NOMIGRATE static void unlock(void) { library_unlock(&locked); }

SKEIN_NOMIGRATE static void push(struct skein_tcb *_Atomic *stack, struct skein_tcb *thread) {
  thread->next = atomic_load_explicit(stack, memory_order_relaxed);
  while (
      !atomic_compare_exchange_weak_explicit(stack, &thread->next, thread, memory_order_release, memory_order_relaxed))
    ;
}

/* Moves what was pushed to a line. How many threads that were. */
SKEIN_NOMIGRATE static int64_t take_pushed(struct skein_tcb *_Atomic *stack, struct line *to) {
  int64_t count = 0;
  if (!atomic_load_explicit(stack, memory_order_relaxed))
    return 0;
  struct skein_tcb *thread = atomic_exchange_explicit(stack, NULL, memory_order_acquire);
  for (struct skein_tcb *after; thread; thread = after, count++) {
    after = thread->next;
    line_add(to, thread);
  }
  return count;
}

void simulation_fails(int code, const char *text) {
  if (simulation.code)
    return;
  simulation.code = code;
  snprintf(simulation.text, sizeof simulation.text, "%s", text);
}

/* --- the bundle ------------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static void plan(struct moment at, uint64_t number, struct skein_tcb *thread) {
  if (agenda_put(&simulation.agenda, (struct event){at, number, {thread}}))
    return;
  fprintf(stderr, "skein: node %d has no memory for another event of the simulation\n", skein_node());
  abort(); /* the thread has nowhere to be */
}

/* Holds all threads back, or none, as the window says. */
SKEIN_NOMIGRATE static void hold_back(void) {
  struct simulation *s = &simulation;
  const int64_t held_back = s->idle || (s->window.time == -INFINITY && !s->lent) ? s->held : 0;
  skein_bundle_hold_back(held_back - s->held_back);
  s->held_back = held_back;
}

/* Threads that have come, or were woken, go to their lines. */
SKEIN_NOMIGRATE static void take_all_pushed(void) {
  struct simulation *s = &simulation;
  s->held += take_pushed(&s->woken, &s->again);
  const int engine_waits = s->lent && !(s->busy && s->turn == s->engine_id);
  for (struct skein_tcb *thread = engine_waits ? s->again.first : NULL; thread; thread = thread->next)
    if (thread->id == s->engine_id) {
      line_remove(&s->again, thread);
      s->held--;
      s->engine = thread;
      s->engine_wants = 1;
      break;
    }
  const int64_t came = take_pushed(&s->inbox, &s->arrived);
  if (came) {
    const int64_t held_back = atomic_exchange_explicit(&s->inbox_held_back, 0, memory_order_relaxed);
    s->held += came;
    s->held_back += held_back;
    if (s->window.time != -INFINITY || s->lent)
      hold_back();
  }
}

SKEIN_NOMIGRATE static inline struct skein_tcb *next_event(void) {
  struct simulation *s = &simulation;
  if (s->model.optimistic)
    return ahead_next();
  if (!s->agenda.count || !moment_before(s->agenda.events[0].at, s->window))
    return NULL;
  const struct event event = agenda_take(&s->agenda);
  s->now = event.at;
  s->what.events++;
  return event.thread;
}

/* The thread that has the next turn; NULL: there is none, or another one has its turn still. */
SKEIN_NOMIGRATE static struct skein_tcb *next(void) {
  struct simulation *s = &simulation;
  take_all_pushed();
  struct skein_tcb *thread = line_take(&s->again);
  if (thread)
    s->held--;
  if (thread || s->busy)
    return thread;
  if (!s->engine_wants) {
    const int ends = s->ending.first != NULL;
    thread = line_take(ends ? &s->ending : &s->arrived);
    if (thread)
      ahead_no_event(ends);
    else
      thread = next_event();
  }
  if (thread) {
    s->held--;
  } else if (s->engine) {
    thread = s->engine;
    s->engine = NULL;
    s->engine_wants = 0;
    ahead_no_event(0);
  }
  s->busy = thread != NULL;
  s->turn = thread ? thread->id : 0;
  if (s->lent && s->idle != !thread) {
    s->idle = !thread;
    hold_back();
  }
  return thread;
}

/* Puts a thread where it has asked for. False: it has asked for nothing, or may go on at once. */
SKEIN_NOMIGRATE static int put_where_it_wants(struct skein_tcb *thread) {
  struct simulation *s = &simulation;
  const enum ask_kind ask = s->ask;
  if (ask == ask_nothing || s->asks != thread->id)
    return 0;
  s->ask = ask_nothing;
  s->asks = 0; /* so that nobody else is taken for one that asks, who is woken while the next one writes down what */
  if (s->model.optimistic && ask != ask_engine) {
    if (!ahead_put(thread, ask))
      return 0;
    s->held++;
    s->busy = 0;
    return 1;
  }
  switch (ask) {
  case ask_nothing:
  case ask_certain:
  case ask_end:
    return 0;
  case ask_hold: {
    const struct event event = {s->ask_at, s->ask_number, {thread}};
    if (!s->arrived.first && moment_before(event.at, s->window) && !s->over &&
        (!s->agenda.count || event_before(&event, &s->agenda.events[0]))) {
      s->now = event.at;
      s->what.events++;
      return 0;
    }
    plan(event.at, event.number, thread);
    break;
  }
  case ask_wait:
    thread->data = (void *)s->ask_number;
    line_add(&s->ask_resource->waiting, thread);
    break;
  case ask_travel:
    line_add(&s->leaving[s->ask_node], thread);
    break;
  case ask_engine:
    s->engine = thread;
    break;
  }
  s->held += ask != ask_engine;
  s->busy = 0;
  return 1;
}

SKEIN_NOMIGRATE static void on_new(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) {
  (void)bundle, (void)worker;
  lock();
  line_add(&simulation.arrived, thread);
  simulation.held++;
  unlock();
}

SKEIN_NOMIGRATE static void on_incoming(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) {
  struct simulation *s = &simulation;
  (void)bundle, (void)worker;
  if (atomic_load_explicit(&s->holds_back, memory_order_relaxed)) {
    skein_bundle_hold_back(1);
    atomic_fetch_add_explicit(&s->inbox_held_back, 1, memory_order_relaxed);
  }
  push(&s->inbox, thread);
}

void simulation_turns(struct moment window) {
  lock();
  simulation.window = window;
  atomic_store_explicit(&simulation.holds_back, window.time == -INFINITY, memory_order_relaxed);
  hold_back();
  unlock();
}

void simulation_lend(void) {
  struct simulation *s = &simulation;
  lock();
  s->lent = 1;
  s->busy = 0;
  atomic_store_explicit(&s->holds_back, 0, memory_order_relaxed);
  hold_back();
  unlock();
}

/* The turn is the engine's again. False: another thread has it still. */
SKEIN_NOMIGRATE static int try_take_back(skein_thread_t self) {
  struct simulation *s = &simulation;
  lock();
  const int mine = !s->busy || s->turn == self;
  if (mine) {
    s->busy = 1;
    s->turn = self;
    s->lent = s->idle = s->engine_wants = 0;
    ahead_no_event(0);
    atomic_store_explicit(&s->holds_back, 1, memory_order_relaxed);
    hold_back();
  }
  unlock();
  return mine;
}

void simulation_take_back(void) {
  const skein_thread_t self = skein_self();
  while (!try_take_back(self))
    skein_sleep_ns(10000); /* after which it has the turn, as the bundle sees to */
}

SKEIN_NOMIGRATE static void on_unblocked(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) {
  (void)bundle, (void)worker;
  /* A thread that has yielded may come this way, too. */
  if (simulation.ask && simulation.asks == thread->id) {
    lock();
    const int put = put_where_it_wants(thread);
    unlock();
    if (put)
      return;
  }
  push(&simulation.woken, thread);
}

SKEIN_NOMIGRATE static struct skein_tcb *on_yielded(struct skein_bundle *bundle, struct skein_tcb *thread,
                                                    unsigned worker) {
  (void)bundle, (void)worker;
  lock();
  const int put = put_where_it_wants(thread);
  struct skein_tcb *other = put ? next() : NULL;
  unlock();
  return put && !other ? SKEIN_NOBODY : other;
}

SKEIN_NOMIGRATE static void on_terminated(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) {
  (void)bundle, (void)worker;
  lock();
  if (simulation.turn == thread->id) {
    simulation.busy = 0;
    ahead_ended();
  }
  unlock();
}

SKEIN_NOMIGRATE static struct skein_tcb *on_idle(struct skein_bundle *bundle, unsigned worker) {
  (void)bundle, (void)worker;
  lock();
  struct skein_tcb *thread = next();
  unlock();
  return thread;
}

SKEIN_NOMIGRATE static struct skein_tcb *on_outgoing(struct skein_bundle *bundle, enum skein_wanted wanted,
                                                     unsigned worker) {
  (void)bundle, (void)wanted, (void)worker;
  lock();
  struct skein_tcb *thread = simulation.ship_to >= 0 ? line_take(&simulation.leaving[simulation.ship_to]) : NULL;
  if (thread) {
    simulation.held--;
    simulation.held_back--;
    skein_bundle_hold_back(-1); /* the runtime counts what the bundle lets go of */
  }
  unlock();
  return thread;
}

static const struct skein_bundle_events events = {.name = "simulation",
                                                  .thread_created = on_new,
                                                  .thread_unblocked = on_unblocked,
                                                  .thread_yielded = on_yielded,
                                                  .thread_terminated = on_terminated,
                                                  .processor_idle = on_idle,
                                                  .outgoing = on_outgoing,
                                                  .incoming = on_incoming,
                                                  .slice_ms = SKEIN_NO_SLICES,
                                                  .asked_only = 1};
SKEIN_BUNDLE(skein_simulation, &events)

struct skein_bundle *simulation_bundle(void) { return skein_simulation(); }

/* --- what processes call ---------------------------------------------------------------------------------------- */

__attribute__((noreturn, format(printf, 2, 3))) static void wrong(const struct skein_process *self, const char *format,
                                                                  ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "skein: process %llu at site %u, at time %g: %s\n", (unsigned long long)self->number, self->site,
          self->now, text);
  exit(70);
}

/* The thread gives its turn away, for what it has asked for, and has it again when this returns. */
static void give_turn(void) {
  for (;;) {
    simulation.asks = skein_self();
    if (!simulation.over)
      skein_yield();
    if (simulation.over || simulation.ends)
      skein_exit(0);
    if (!simulation.model.optimistic || ahead_resumes())
      return;
    simulation.ask = ask_certain;
  }
}

static void wait_until(struct skein_process *self, struct moment at) {
  simulation.ask = ask_hold;
  simulation.ask_at = at;
  simulation.ask_number = self->number;
  simulation.ask_site = self->site;
  give_turn();
  self->now = at.time;
}

void skein_sim_hold(struct skein_process *self, double time) {
  if (!(time >= 0))
    wrong(self, "skein_sim_hold: %g is no time to hold", time);
  wait_until(self, moment_of(self->now, self->now + time));
}

void skein_sim_travel(struct skein_process *self, uint32_t site, double time) {
  struct simulation *s = &simulation;
  if (site >= s->model.sites)
    wrong(self, "skein_sim_travel: there is no site %u, only 0 to %u", site, s->model.sites - 1);
  if (!(time >= s->model.lookahead))
    wrong(self, "skein_sim_travel: %g is less than the model's lookahead of %g", time, s->model.lookahead);
  const struct moment arrival = moment_of(self->now, self->now + time);
  const int node = (int)s->node_of_site[site];
  s->what.travels++;
  ahead_travels(node != skein_node());
  self->site = site;
  if (node != skein_node()) {
    s->what.moves++;
    if (arrival.time < s->earliest_travel && !s->model.optimistic)
      s->earliest_travel = arrival.time;
    s->ask = ask_travel;
    s->ask_at = arrival;
    s->ask_node = (uint32_t)node;
    s = NULL; /* it is this node's */
    give_turn();
    if (skein_node() != node)
      skein_exit(0); /* it could not leave: the simulation fails, as the engine is told */
  }
  wait_until(self, arrival);
}

struct skein_process skein_sim_begin_(uint64_t number, uint64_t site, double begin) {
  struct skein_process self = {.number = number, .site = (uint32_t)site};
  wait_until(&self, moment_of(simulation.now.time, begin));
  return self;
}

void skein_sim_end_(void) {
  if (!simulation.record)
    return;
  simulation.ask = ask_end;
  give_turn();
}

void skein_sim_certain(struct skein_process *self) {
  (void)self;
  if (!simulation.record)
    return;
  simulation.ask = ask_certain;
  give_turn(); /* and does not return here, but where the event began */
}

/* What is known of a new process, if that matters. */
SKEIN_NOMIGRATE static struct process *new_process(uint32_t site, uint64_t number, double time) {
  if (!simulation.model.optimistic)
    return NULL;
  lock();
  struct process *process = ahead_new(site, number, moment_of(simulation.now.time, time));
  unlock();
  return process;
}

int process_create(uint32_t site, uint64_t number, double time, skein_process_function function, uint64_t argument,
                   skein_process_runner runner) {
  const struct skein_attributes attributes = {.bundle = simulation_bundle(), .name = "process"};
  simulation.what.processes++;
  struct process *process = new_process(site, number, time);
  const skein_thread_t thread = skein_spawn_with(&attributes, runner, function, argument, number, (uint64_t)site, time);
  if (process)
    ahead_created(process, thread);
  if (thread)
    return 1;
  simulation_fails(SKEIN_EMEMORY, skein_error_text());
  return 0;
}

uint64_t skein_sim_process_(struct skein_process *self, skein_process_function function, uint64_t argument, double time,
                            skein_process_runner runner) {
  if (!(time >= 0))
    wrong(self, "skein_sim_process: %g is no time until a process begins", time);
  const uint64_t number = process_number(self->site, ++simulation.sites[self->site].created);
  process_create(self->site, number, self->now + time, function, argument, runner);
  return number;
}

void *skein_sim_memory(const struct skein_process *self) { return simulation.sites[self->site].memory; }

/* --- resources -------------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static struct resource *resource_of(const struct skein_process *self, uint32_t index) {
  return index < simulation.model.resources ? &simulation.sites[self->site].resources[index] : NULL;
}

static struct resource *resource_for(const struct skein_process *self, uint32_t index, const char *call) {
  struct resource *resource = resource_of(self, index);
  if (!resource)
    wrong(self, "%s: there is no resource %u; each site has %u", call, index, simulation.model.resources);
  return resource;
}

const struct skein_resource *skein_sim_resource(const struct skein_process *self, uint32_t index) {
  struct resource *resource = resource_of(self, index);
  return resource ? &resource->look : NULL;
}

SKEIN_NOMIGRATE static void count_taken(struct skein_resource *look, double now) {
  look->taken++;
  skein_level_set(&look->in_use, now, look->in_use.value + 1);
}

void skein_sim_acquire(struct skein_process *self, uint32_t index) {
  struct resource *resource = resource_for(self, index, "skein_sim_acquire");
  struct skein_resource *look = &resource->look;
  ahead_note(index, 0);
  if (look->free) {
    look->free--;
    count_taken(look, self->now);
    return;
  }
  look->waiting++;
  skein_level_set(&look->queue, self->now, (double)look->waiting);
  simulation.ask = ask_wait;
  simulation.ask_resource = resource;
  simulation.ask_number = self->number;
  give_turn();
  self->now = simulation.now.time;
}

void skein_sim_release(struct skein_process *self, uint32_t index) {
  struct resource *resource = resource_for(self, index, "skein_sim_release");
  struct skein_resource *look = &resource->look;
  ahead_note(index, 1);
  skein_level_set(&look->in_use, self->now, look->in_use.value > 0 ? look->in_use.value - 1 : 0);
  if (!look->waiting) {
    look->free++;
    return;
  }
  lock();
  void *data = resource->waiting.first->data;
  struct skein_tcb *thread = line_take(&resource->waiting);
  const struct moment at = moment_of(self->now, self->now);
  if (simulation.model.optimistic)
    ahead_woken(data, at);
  else
    plan(at, (uint64_t)data, thread);
  unlock();
  look->waiting--;
  skein_level_set(&look->queue, self->now, (double)look->waiting);
  count_taken(look, self->now);
}

void skein_sim_units(struct skein_process *self, uint32_t index, uint32_t units) {
  struct resource *resource = resource_for(self, index, "skein_sim_units");
  if (resource->look.taken || resource->look.waiting)
    wrong(self, "skein_sim_units: resource %u is in use already", index);
  ahead_note(index, 0);
  resource->look.free = units;
}
