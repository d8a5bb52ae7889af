/* The engine of a simulation; see simulation.h. */
#include "simulation/simulation.h"

#include <skein/global.h>
#include <skein/migration.h>
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all nodes know of a run, in shared memory. */
struct run {
  struct skein_model model; /* but for its functions */
  skein_reduction_t agreement;
  uint32_t nodes; /* nodes that come later have no part in it */
  struct skein_simulated what;
  int32_t code;
  int32_t stayed; /* a node has said in `what` why a site stayed */
  char text[320];
};

/* Adds a node's numbers to those of the run. */
static void add_up(skein_shared struct run *run, const struct skein_simulated *what) {
  __atomic_fetch_add(&run->what.processes, what->processes, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.events, what->events, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.travels, what->travels, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.moves, what->moves, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.sites_moved, what->sites_moved, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.sites_stayed, what->sites_stayed, __ATOMIC_RELAXED);
  if (what->why_stayed[0] && !__atomic_exchange_n(&run->stayed, 1, __ATOMIC_RELAXED))
    for (size_t i = 0; i < sizeof what->why_stayed; i++)
      run->what.why_stayed[i] = what->why_stayed[i];
  __atomic_fetch_add(&run->what.ahead, what->ahead, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.rollbacks, what->rollbacks, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.undone, what->undone, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.withdrawn, what->withdrawn, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.deferred, what->deferred, __ATOMIC_RELAXED);
  uint64_t most = run->what.undo_bytes;
  while (most < what->undo_bytes && !__atomic_compare_exchange_n(&run->what.undo_bytes, &most, what->undo_bytes, 0,
                                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* --- the beginning and the end of a node's part ------------------------------------------------------------------- */

SKEIN_NOMIGRATE static int set_up(uint32_t nodes) {
  struct simulation *s = &simulation;
  s->nodes = nodes;
  s->ship_to = -1;
  s->window = (struct moment){-INFINITY, 0};
  s->engine_id = skein_self();
  s->round = 1;
  s->most_records = 64;
  s->earliest_travel = INFINITY;
  s->leaving = calloc(s->nodes, sizeof *s->leaving);
  return s->leaving != NULL;
}

SKEIN_NOMIGRATE static void tear_down(void) {
  struct simulation *s = &simulation;
  sites_free();
  free(s->leaving);
  ahead_free();
  free(s->agenda.events);
  free(s->reported.events);
  *s = (struct simulation){.busy = 1, .turn = skein_self()}; /* the engine's last turn */
}

/* --- windows ---------------------------------------------------------------------------------------------------- */

void let_run(struct moment window) {
  simulation_turns(window);
  simulation.ask = ask_engine;
  simulation.asks = skein_self();
  skein_yield();
  simulation.ask = ask_nothing; /* if nobody else is here */
  simulation_turns((struct moment){-INFINITY, 0});
}

void let_report(void) { let_run((struct moment){0, 0}); }

/* --- threads that leave ------------------------------------------------------------------------------------------ */

/* What has come back after a push. */
SKEIN_NOMIGRATE static uint32_t came_back(void) {
  struct simulation *s = &simulation;
  simulation_take_note();
  const uint32_t stayed = s->stayed;
  s->stayed = 0;
  return stayed;
}

uint32_t ship(void) {
  enum { at_once = 64 }; /* messages */
  const struct skein_choice travellers = {.most = 1024, .bundle = simulation_bundle()};
  skein_pending_t sent[at_once];
  uint32_t node = 0;
  simulation.shipping = 1;
  while (node < simulation.nodes) {
    uint32_t count = 0;
    for (; node < simulation.nodes && count < at_once; node++) {
      simulation.ship_to = (int)node;
      while (simulation.leaving[node].first && !simulation.code && count < at_once) {
        sent[count] = skein_push_any_start(&travellers, (int)node);
        if (sent[count])
          count++;
        else
          simulation_fails(SKEIN_EREFUSED, skein_error_text());
      }
      if (simulation.leaving[node].first && !simulation.code)
        break; /* more in the next round */
    }
    simulation.ship_to = -1;
    for (uint32_t i = 0; i < count; i++) {
      const int code = skein_pending_wait(sent[i]);
      if (code == SKEIN_EDEAD)
        simulation_fails(code, skein_error_text());
    }
  }
  const uint32_t stayed = came_back();
  simulation.shipping = 0;
  return stayed;
}

int ship_each(uint32_t *site, char *text, size_t room) {
  const struct skein_choice one = {.most = 1, .bundle = simulation_bundle()};
  int why = SKEIN_OK;
  simulation.shipping = 1;
  for (uint32_t node = 0; node < simulation.nodes; node++)
    while (simulation.leaving[node].first) {
      const uint32_t of_site = (uint32_t)(uint64_t)simulation.leaving[node].first->data;
      simulation.ship_to = (int)node;
      const int code = skein_push_any(&one, (int)node, NULL);
      simulation.ship_to = -1;
      if (code && !why) {
        why = code;
        *site = of_site;
        snprintf(text, room, "%s", skein_error_text());
      }
      if (code == SKEIN_EDEAD) /* and the thread is in its line still */
        simulation_fails(code, skein_error_text());
      if (simulation.code)
        break;
    }
  came_back();
  simulation.shipping = 0;
  return why;
}

/* Travellers go to the lines of those that leave; if their site has come here meanwhile, they have arrived. */
SKEIN_NOMIGRATE static void part_travellers(void) {
  struct simulation *s = &simulation;
  const uint32_t here = (uint32_t)skein_node();
  while (s->travellers.first) {
    void *site = s->travellers.first->data;
    const uint32_t node = s->node_of_site[(uint64_t)site];
    struct skein_tcb *thread = line_take(&s->travellers);
    line_add(node == here ? &s->arrived : &s->leaving[node], thread);
    thread->data = site;
    s->what.moves += node != here;
  }
}

/* Sends the travellers of a window to all nodes, and waits until they have arrived there. */
static void send_travellers(void) {
  part_travellers();
  const uint32_t stayed = ship();
  if (!stayed || simulation.code)
    return;
  simulation.what.moves -= stayed;
  let_report();
  part_travellers();
  char text[sizeof simulation.text];
  uint32_t site;
  const int code = ship_each(&site, text, sizeof text);
  if (code)
    simulation_fails(code, text);
}

int all_say(skein_reduction_t agreement, int yes) {
  double value = yes;
  const int code = skein_reduce_double(agreement, SKEIN_REDUCE_MIN, &value, 1);
  if (code)
    simulation_fails(code, skein_error_text());
  return !code && value == 1;
}

/* The time of the earliest event of all nodes; INFINITY: there is none. */
static double agree(skein_reduction_t agreement) {
  struct simulation *s = &simulation;
  double *earliest = s->values;
  *earliest = s->earliest_travel;
  s->earliest_travel = INFINITY;
  if (s->agenda.count && s->agenda.events[0].at.time < *earliest)
    *earliest = s->agenda.events[0].at.time;
  const int code = skein_reduce_double(agreement, SKEIN_REDUCE_MIN, s->values, 1 + sites_loads());
  if (code)
    simulation_fails(code, skein_error_text());
  return code ? INFINITY : *earliest;
}

/* The next number after a time. */
static double just_after(double time) {
  uint64_t bits;
  memcpy(&bits, &time, sizeof bits);
  bits += time < INFINITY;
  memcpy(&time, &bits, sizeof time);
  return time;
}

/* Sets windows until the end. Whether no event was left then. The nodes agree twice: when all are at the end of a
 * window, so that travellers do not come to a node that computes, and when all travellers have arrived. */
static int simulate(skein_reduction_t agreement) {
  const double until = simulation.model.until, end = just_after(until);
  for (;;) {
    const double earliest = agree(agreement);
    if (earliest > until)
      return earliest == INFINITY;
    if (!sites_move(agreement))
      return 0;
    send_travellers();
    if (simulation.nodes > 1 ? !all_say(agreement, !simulation.code) : simulation.code != 0) {
      simulation_fails(SKEIN_EREFUSED, ""); /* if it is another node that has failed */
      return 0;
    }
    const double horizon = earliest + simulation.model.lookahead;
    let_run((struct moment){simulation.nodes == 1 || horizon > end ? end : horizon, 0});
    simulation.what.windows++;
  }
}

/* --- horizons of an optimistic simulation ------------------------------------------------------------------------ */

/* The least of each value over all nodes, or false: a node died. While this waits, processes run ahead. */
static int agree_on_least(skein_reduction_t agreement, double *values, size_t count) {
  const int waits = simulation.nodes > 1;
  if (waits)
    simulation_lend();
  const int code = skein_reduce_double(agreement, SKEIN_REDUCE_MIN, values, count);
  if (waits)
    simulation_take_back();
  if (code)
    simulation_fails(code, skein_error_text());
  return !code;
}

/* Sets horizons until the end. In each round the nodes agree on two numbers, and send travellers in between. The first
 * is the earliest time at which anything may happen or arrive anywhere: global virtual time. (No thread is under way
 * then.) What has left before that, or before the last horizon, is sent. The second is the step at that time up to
 * which nothing can arrive any more. It alone is what a model without lookahead goes on by. It is one more than that of
 * the earliest event that is to happen there, but not more than that of any arrival that waits to be sent. */
static void simulate_ahead(skein_reduction_t agreement, int *all_over) {
  struct simulation *s = &simulation;
  const double until = s->model.until, end = just_after(until);
  struct moment horizon = {0, 0};
  for (;;) {
    s->values[0] = ahead_earliest(0).time;
    if (!agree_on_least(agreement, s->values, 1 + sites_loads()))
      return;
    const double time = s->values[0];
    *all_over = time == INFINITY;
    const struct moment now = {time, 0};
    if (moment_before(horizon, now))
      horizon = now;
    ahead_commit(horizon);
    if (time > until || !sites_move(agreement))
      return;
    const struct moment sent = ahead_leave(horizon);
    send_travellers();
    const struct moment here = ahead_earliest(1);
    double step = here.time == time ? (double)here.step : INFINITY;
    if (sent.time == time && (double)sent.step + 1 < step)
      step = (double)sent.step + 1;
    double values[] = {step, s->code ? 0 : 1};
    if (!agree_on_least(agreement, values, 2) || values[1] == 0) { /* what fails from now on, all hear next time */
      simulation_fails(SKEIN_EREFUSED, "");                        /* if it is another node that has failed */
      return;
    }
    let_run(horizon); /* those that have arrived may be stragglers; this node has done all else up to there */
    struct moment next = {time + s->model.lookahead, 0};
    if (next.time == time)
      next.step = (uint64_t)values[0];
    if (s->nodes == 1 || next.time > end)
      next = (struct moment){end, 0};
    if (moment_before(horizon, next))
      horizon = next;
    ahead_commit(horizon);
    ahead_adapt();
    let_run(horizon);
    s->what.windows++;
  }
}

/* --- the end ---------------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static void append(struct line *to, struct line *line) {
  if (!line->first)
    return;
  *(to->first ? &to->last->next : &to->first) = line->first;
  to->last = line->last;
  *line = (struct line){0};
}

/* Lets all threads that are left go on, which end then. */
static void end_processes(void) {
  struct simulation *s = &simulation;
  s->over = 1;
  if (s->model.optimistic)
    ahead_end_all();
  for (uint32_t i = 0; s->sites && i < s->model.sites; i++)
    if (s->sites[i].keeper)
      line_add(&s->arrived, s->sites[i].keeper);
  do {
    append(&s->arrived, &s->travellers);
    for (uint32_t node = 0; s->leaving && node < s->nodes; node++)
      append(&s->arrived, &s->leaving[node]);
    for (uint32_t i = 0; s->sites && i < s->model.sites; i++)
      for (uint32_t j = 0; s->sites[i].queues && j < s->model.resources; j++)
        append(&s->arrived, &s->sites[i].queues[j]);
    while (s->agenda.count) {
      struct skein_tcb *thread = agenda_take(&s->agenda).thread;
      thread->next = NULL;
      append(&s->arrived, &(struct line){thread, thread});
    }
    let_run((struct moment){0, 0});
  } while (s->agenda.count);
}

/* The time of the last event on all nodes. */
static double last_time(skein_reduction_t agreement) {
  double time = simulation.model.optimistic ? simulation.latest : simulation.now.time;
  return skein_reduce_double(agreement, SKEIN_REDUCE_MAX, &time, 1) ? 0 : time;
}

/* Tells the caller that this node has failed, if it has. */
static void report_failure(skein_shared struct run *run) {
  if (!simulation.text[0])
    return;
  for (size_t i = 0; i < sizeof simulation.text; i++)
    run->text[i] = simulation.text[i];
  run->code = simulation.code;
}

/* The thread that simulates on a node. */
static void engine(skein_shared struct run *run, skein_process_function begin,
                   void (*end)(uint32_t site, void *memory, uint64_t argument), skein_process_runner runner) {
  const skein_reduction_t agreement = run->agreement;
  if (!all_say(agreement, simulation.nodes == 0)) { /* else this thread is in the bundle of another one */
    run->code = SKEIN_EREFUSED;
    return;
  }
  simulation = (struct simulation){.busy = 1, .turn = skein_self(), .ship_to = -1};
  simulation.model = run->model;
  if (!all_say(agreement, set_up(run->nodes)) || !all_say(agreement, sites_make(agreement))) {
    end_processes();
    run->code = SKEIN_EMEMORY;
    tear_down();
    return;
  }
  for (uint32_t i = 0; !simulation.code && i < simulation.model.sites; i++)
    if (simulation.node_of_site[i] == (uint32_t)skein_node())
      process_create(i, process_number(i, 0), 0, begin, i, runner);
  let_run((struct moment){0, 0});
  int all_over = 0;
  if (simulation.model.optimistic)
    simulate_ahead(agreement, &all_over);
  else
    all_over = simulate(agreement);
  const double last = last_time(agreement);
  if (skein_node() == 0)
    run->what.now = all_over ? last : simulation.model.until;
  for (uint32_t i = 0; end && !simulation.code && i < simulation.model.sites; i++)
    if (simulation.node_of_site[i] == (uint32_t)skein_node())
      end(i, simulation.sites[i].memory, simulation.model.argument);
  end_processes();
  report_failure(run);
  add_up(run, &simulation.what);
  if (skein_node() == 0)
    run->what.windows = simulation.what.windows;
  tear_down();
}

/* --- the call --------------------------------------------------------------------------------------------------- */

static const char another_runs[] = "another simulation runs";

static int refuse(const char *why) {
  char text[200];
  snprintf(text, sizeof text, "skein_simulate: %s", why);
  return __skein_error(SKEIN_EREFUSED, text);
}

static int check(const struct skein_model *model) {
  if (!model->sites || !model->begin)
    return refuse("a model has at least one site, and a process that begins there");
  if (!(model->lookahead >= 0) || (model->lookahead == 0 && !model->optimistic))
    return refuse("a model's lookahead is greater than 0, or 0 if it is simulated optimistically");
  if (!(model->until >= 0))
    return refuse("a model's end is at time 0 or later");
  return SKEIN_OK;
}

/* Starts the engines and waits for them. If one cannot be started, the others hear of it: what they agree by is gone.
 */
static int run_engines(skein_shared struct run *run, const struct skein_model *model, skein_process_runner runner) {
  const int nodes = (int)run->nodes;
  skein_thread_t engines[nodes];
  int started = 0, code = SKEIN_OK;
  for (; started < nodes; started++) {
    const struct skein_attributes attributes = {
        .node = SKEIN_ON(started), .bundle = simulation_bundle(), .name = "simulation"};
    engines[started] = skein_spawn_with(&attributes, engine, run, model->begin, model->end, runner);
    if (!engines[started])
      break;
  }
  if (started < nodes)
    skein_global_free(run->agreement);
  for (int node = 0; node < started; node++) {
    const int joined = skein_join(engines[node]);
    code = joined ? joined : code;
  }
  if (started == nodes)
    skein_global_free(run->agreement);
  else if (!code)
    code = refuse("a node cannot be reached, or has no memory");
  return code;
}

int skein_simulate_(const struct skein_model *model, struct skein_simulated *what, skein_process_runner runner) {
  if (what)
    *what = (struct skein_simulated){0};
  if (check(model))
    return SKEIN_EREFUSED;
  if (simulation.nodes)
    return refuse(another_runs);
  skein_shared struct run *run = skein_shared_alloc(skein_node(), sizeof *run);
  const uint32_t nodes = (uint32_t)skein_nodes();
  const skein_reduction_t agreement = skein_reduction_create(0, nodes);
  if (!run || !agreement)
    return SKEIN_EMEMORY;
  run->nodes = nodes;
  run->model = *model;
  run->model.begin = NULL;
  run->model.end = NULL;
  run->agreement = agreement;
  int code = run_engines(run, model, runner);
  char text[sizeof simulation.text] = "";
  if (!code && run->code) {
    code = run->code;
    for (size_t i = 0; i < sizeof text; i++)
      text[i] = run->text[i];
    if (!text[0])
      snprintf(text, sizeof text, "skein_simulate: %s",
               code == SKEIN_EREFUSED ? another_runs : "a node has no memory for its sites");
  }
  if (!code && what)
    *what = run->what;
  skein_shared_free(run);
  return text[0] ? __skein_error(code, text) : code;
}
