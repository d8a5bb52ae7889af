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

SKEIN_NOMIGRATE static void plan(struct agenda *agenda, struct event event) {
  if (agenda_put(agenda, event))
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
  for (struct skein_tcb *thread = s->shipping ? s->again.first : NULL, *after; thread; thread = after) {
    after = thread->next;
    if (thread->id == s->engine_id)
      continue;
    line_remove(&s->again, thread); /* it could not leave: all others wait in lines of the bundle */
    line_add(&s->arrived, thread);
    s->stayed++;
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
  event_happens(event.at, (uint32_t)(uint64_t)event.thread->data);
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
    if (thread) {
      ahead_no_event(ends);
      s->turn_is = turn_report;
    } else if ((thread = s->settling.first)) {
      ahead_settles(thread);
    } else {
      thread = next_event();
    }
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

void wait_in_queue(struct skein_tcb *thread, void *data) {
  line_add(&simulation.sites[simulation.ask_site].queues[simulation.ask_resource], thread);
  thread->data = data;
}

void report_wait(struct skein_tcb *thread, void *data) {
  struct simulation *s = &simulation;
  const struct moment at = {(double)s->ask_ticket, (uint64_t)s->ask_site << 32 | s->ask_resource};
  plan(&s->reported, (struct event){at, s->ask_number, {thread}});
  thread->data = data;
}

/* Puts a thread where it has asked for. False: it has asked for nothing, or may go on at once. */
SKEIN_NOMIGRATE static int put_where_it_wants(struct skein_tcb *thread) {
  struct simulation *s = &simulation;
  const enum ask_kind ask = s->ask;
  if (ask == ask_nothing || s->asks != thread->id)
    return 0;
  s->ask = ask_nothing;
  s->asks = 0; /* so that nobody else is taken for one that asks, who is woken while the next one writes down what */
  if (ask == ask_keep) {
    s->sites[s->ask_site].keeper = thread;
    s->held++;
    s->busy = 0;
    return 1;
  }
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
  case ask_keep:
    return 0;
  case ask_hold: {
    const struct event event = {s->ask_at, s->ask_number, {thread}};
    if (!s->arrived.first && moment_before(event.at, s->window) && !s->over &&
        (!s->agenda.count || event_before(&event, &s->agenda.events[0]))) {
      event_happens(event.at, s->ask_site);
      return 0;
    }
    plan(&s->agenda, event);
    thread->data = (void *)(uint64_t)s->ask_site;
    break;
  }
  case ask_wait:
    if (s->turn_is == turn_event)
      wait_in_queue(thread, (void *)s->ask_number);
    else
      report_wait(thread, (void *)s->ask_number);
    break;
  case ask_travel:
    line_add(&s->travellers, thread);
    thread->data = (void *)(uint64_t)s->ask_site;
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

void simulation_take_note(void) {
  lock();
  take_all_pushed();
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

enum turn simulation_give_turn(void) {
  for (;;) {
    simulation.asks = skein_self();
    if (!simulation.over)
      skein_yield();
    if (simulation.over || simulation.ends)
      skein_exit(0);
    if (!simulation.model.optimistic || ahead_resumes())
      return simulation.turn_is;
    simulation.ask = ask_certain;
  }
}

static void wait_until(struct skein_process *self, struct moment at) {
  do {
    simulation.ask = ask_hold;
    simulation.ask_at = at;
    simulation.ask_number = self->number;
    simulation.ask_site = self->site;
  } while (simulation_give_turn() != turn_event);
  self->now = at.time;
}

void skein_sim_hold(struct skein_process *self, double time) {
  if (!(time >= 0))
    wrong(self, "skein_sim_hold: %g is no time to hold", time);
  wait_until(self, moment_of(self->now, self->now + time));
}

static int site_is_here(uint32_t site) { return (int)simulation.node_of_site[site] == skein_node(); }

void skein_sim_travel(struct skein_process *self, uint32_t site, double time) {
  struct simulation *s = &simulation;
  if (site >= s->model.sites)
    wrong(self, "skein_sim_travel: there is no site %u, only 0 to %u", site, s->model.sites - 1);
  if (!(time >= s->model.lookahead))
    wrong(self, "skein_sim_travel: %g is less than the model's lookahead of %g", time, s->model.lookahead);
  const struct moment arrival = moment_of(self->now, self->now + time);
  s->what.travels++;
  ahead_travels();
  s->sites[self->site].near += site != self->site && site_is_here(site);
  self->site = site;
  s = NULL; /* it is this node's */
  while (!site_is_here(site)) {
    if (arrival.time < simulation.earliest_travel && !simulation.model.optimistic)
      simulation.earliest_travel = arrival.time;
    simulation.ask = ask_travel;
    simulation.ask_at = arrival;
    simulation.ask_site = site;
    simulation_give_turn();
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
  simulation_give_turn();
}

void skein_sim_certain(struct skein_process *self) {
  (void)self;
  if (!simulation.record)
    return;
  simulation.ask = ask_certain;
  simulation_give_turn(); /* and does not return here, but where the event began */
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
  const uint64_t number = process_number(self->site, (uint32_t)++simulation.sites[self->site].about->created);
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
  const uint64_t ticket = resource->came++;
  enum turn turn;
  do {
    simulation.ask = ask_wait;
    simulation.ask_site = self->site;
    simulation.ask_resource = index;
    simulation.ask_ticket = ticket;
    simulation.ask_number = self->number;
    turn = simulation_give_turn();
  } while (turn == turn_report);
  if (turn == turn_settles)
    wait_until(self, simulation.settles_at);
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
  struct line *queue = &simulation.sites[self->site].queues[index];
  void *data = queue->first->data;
  struct skein_tcb *thread = line_take(queue);
  const struct moment at = moment_of(self->now, self->now);
  if (simulation.model.optimistic) {
    ahead_woken(data, at);
  } else {
    plan(&simulation.agenda, (struct event){at, (uint64_t)data, {thread}});
    thread->data = (void *)(uint64_t)self->site;
  }
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
