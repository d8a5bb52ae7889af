/* The engine of a simulation; see simulation.h. */
#include "simulation.h"

#include "abi/library_calls.h"

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
  struct skein_simulated what;
  int32_t code;
  char text[320];
};

/* Adds a node's numbers to those of the run. */
static void add_up(skein_shared struct run *run, const struct skein_simulated *what) {
  __atomic_fetch_add(&run->what.processes, what->processes, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.events, what->events, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.travels, what->travels, __ATOMIC_RELAXED);
  __atomic_fetch_add(&run->what.moves, what->moves, __ATOMIC_RELAXED);
}

/* What the nodes tell each other between two windows: two numbers of each node, added up with the zeroes of the others.
 */
struct word {
  double earliest; /* the time of its earliest event; below 0: it has failed */
  double arrivals; /* how many travellers are sent there, by all */
};

/* --- sites ----------------------------------------------------------------------------------------------------------
 */

/* Deals the sites out: in blocks of neighbours, or at random, evenly. */
SKEIN_NOMIGRATE static void place_sites(uint32_t *node_of_site, uint32_t sites, uint32_t nodes, uint64_t seed) {
  for (uint32_t i = 0; i < sites; i++)
    node_of_site[i] = (uint32_t)((uint64_t)i * nodes / sites);
  struct skein_stream stream = skein_stream_make(seed, 0);
  for (uint32_t i = sites; seed && i > 1; i--) {
    const uint32_t other = skein_stream_below(&stream, i), node = node_of_site[i - 1];
    node_of_site[i - 1] = node_of_site[other];
    node_of_site[other] = node;
  }
}

SKEIN_NOMIGRATE static int make_site(struct site *site, const struct skein_model *model) {
  site->memory = calloc(1, model->site_bytes ? model->site_bytes : 1);
  site->resources = model->resources ? calloc(model->resources, sizeof *site->resources) : NULL;
  for (uint32_t i = 0; site->resources && i < model->resources; i++)
    site->resources[i].look.free = 1;
  return site->memory && (site->resources || !model->resources);
}

SKEIN_NOMIGRATE static int set_up(void) {
  struct simulation *s = &simulation;
  const struct skein_model *model = &s->model;
  s->nodes = (uint32_t)skein_nodes();
  s->ship_to = -1;
  s->window = -INFINITY;
  s->earliest_travel = INFINITY;
  s->node_of_site = calloc(model->sites, sizeof *s->node_of_site);
  s->sites = calloc(model->sites, sizeof *s->sites);
  s->leaving = calloc(s->nodes, sizeof *s->leaving);
  s->leave = calloc(s->nodes, sizeof *s->leave);
  s->words = calloc(s->nodes, sizeof *s->words);
  skein_sem_init(&s->all_here, 0);
  if (!s->node_of_site || !s->sites || !s->leaving || !s->leave || !s->words)
    return 0;
  place_sites(s->node_of_site, model->sites, s->nodes, model->placement);
  for (uint32_t i = 0; i < model->sites; i++)
    if (s->node_of_site[i] == (uint32_t)skein_node() && !make_site(&s->sites[i], model))
      return 0;
  return 1;
}

SKEIN_NOMIGRATE static void tear_down(void) {
  struct simulation *s = &simulation;
  for (uint32_t i = 0; s->sites && i < s->model.sites; i++) {
    free(s->sites[i].memory);
    free(s->sites[i].resources);
  }
  free(s->sites);
  free(s->node_of_site);
  free(s->leaving);
  free(s->leave);
  free(s->words);
  free(s->agenda.events);
  *s = (struct simulation){.busy = 1, .turn = skein_self()}; /* the engine's last turn */
}

/* --- windows --------------------------------------------------------------------------------------------------------
 */

/* Lets processes run until all that have arrived have said what they want, and no event is left in the window. */
static void let_run(double window) {
  simulation.window = window;
  simulation.ask = ask_engine;
  simulation.asks = skein_self();
  skein_yield();
  simulation.window = -INFINITY;
}

/* Sends the travellers of a window. Each message is a pending operation, of which the results are looked at when the
 * next window is over. */
struct sent {
  skein_pending_t *operations;
  uint32_t count, room;
};

SKEIN_NOMIGRATE static int sent_add(struct sent *sent, skein_pending_t operation) {
  if (sent->count == sent->room) {
    const uint32_t room = sent->room ? 2 * sent->room : 64;
    skein_pending_t *more = realloc(sent->operations, room * sizeof *more);
    if (!more)
      return 0;
    sent->operations = more;
    sent->room = room;
  }
  sent->operations[sent->count++] = operation;
  return 1;
}

static void send_travellers(struct sent *sent) {
  const struct skein_choice travellers = {.most = 1024, .bundle = simulation_bundle()};
  for (uint32_t node = 0; node < simulation.nodes; node++) {
    simulation.ship_to = (int)node;
    while (simulation.leaving[node].first && !simulation.code) {
      const skein_pending_t operation = skein_push_any_start(&travellers, (int)node);
      if (!operation || !sent_add(sent, operation))
        simulation_fails(operation ? SKEIN_EMEMORY : SKEIN_EREFUSED, skein_error_text());
    }
  }
  simulation.ship_to = -1;
}

static void check_sent(struct sent *sent) {
  for (uint32_t i = 0; i < sent->count; i++) {
    const int code = skein_pending_wait(sent->operations[i]);
    if (code)
      simulation_fails(code, skein_error_text());
  }
  sent->count = 0;
}

/* The time of the earliest event of all nodes, INFINITY if there is none, below 0 if some node has failed. `*expected`:
 * how many travellers are to come. */
static double agree(skein_reduction_t agreement, uint64_t *expected) {
  struct simulation *s = &simulation;
  struct word *const words = s->words;
  double earliest = s->earliest_travel;
  s->earliest_travel = INFINITY;
  if (s->agenda.count && s->agenda.events[0].time < earliest)
    earliest = s->agenda.events[0].time;
  for (uint32_t node = 0; node < s->nodes; node++) {
    words[node] = (struct word){0, s->leave[node]};
    s->leave[node] = 0;
  }
  words[skein_node()].earliest = s->code ? -1 : earliest;
  s->what.windows++;
  const int code = skein_reduce_double(agreement, SKEIN_REDUCE_ADD, &words[0].earliest, 2 * s->nodes);
  if (code) {
    simulation_fails(code, skein_error_text());
    return -1;
  }
  earliest = INFINITY;
  for (uint32_t node = 0; node < s->nodes; node++)
    if (words[node].earliest < earliest)
      earliest = words[node].earliest;
  *expected = (uint64_t)words[skein_node()].arrivals;
  return earliest;
}

/* The next number after a time. */
static double just_after(double time) {
  uint64_t bits;
  memcpy(&bits, &time, sizeof bits);
  bits += time < INFINITY;
  memcpy(&time, &bits, sizeof time);
  return time;
}

/* Tells all nodes that this one has failed, if it has. */
static void report_failure(skein_shared struct run *run) {
  if (!simulation.code || !simulation.text[0]) /* without a text it is another node that has failed */
    return;
  for (size_t i = 0; i < sizeof simulation.text; i++)
    run->text[i] = simulation.text[i];
  run->code = simulation.code;
}

/* Waits until the travellers have arrived that are under way here. False: some node has failed. */
static int await_travellers(uint64_t expected, struct sent *sent, skein_shared struct run *run) {
  enum { look_ns = 50000000 };
  if (travellers_are_missing(expected))
    while (skein_sem_timedwait_ns(&simulation.all_here, look_ns) == SKEIN_ETIME) {
      check_sent(sent); /* some of this node's may not have left */
      report_failure(run);
      if (run->code)
        return 0;
    }
  return 1;
}

/* Sets windows until the end. Whether no event was left then. */
static int simulate(skein_shared struct run *run, skein_reduction_t agreement) {
  const double until = simulation.model.until, end = just_after(until);
  struct sent sent = {0};
  double earliest;
  for (;;) {
    uint64_t expected;
    check_sent(&sent);
    earliest = agree(agreement, &expected);
    if (!(earliest >= 0 && earliest <= until))
      break;
    send_travellers(&sent);
    const double horizon = earliest + simulation.model.lookahead;
    if (await_travellers(expected, &sent, run))
      let_run(simulation.nodes == 1 || horizon > end ? end : horizon);
    else
      simulation_fails(SKEIN_EREFUSED, "");
  }
  free(sent.operations);
  return earliest == INFINITY;
}

/* --- the end --------------------------------------------------------------------------------------------------------
 */

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
  do {
    for (uint32_t node = 0; s->leaving && node < s->nodes; node++)
      append(&s->arrived, &s->leaving[node]);
    for (uint32_t i = 0; s->sites && i < s->model.sites; i++)
      for (uint32_t j = 0; s->sites[i].resources && j < s->model.resources; j++)
        append(&s->arrived, &s->sites[i].resources[j].waiting);
    while (s->agenda.count) {
      struct skein_tcb *thread = agenda_take(&s->agenda).thread;
      thread->next = NULL;
      append(&s->arrived, &(struct line){thread, thread});
    }
    let_run(-INFINITY);
  } while (s->agenda.count);
}

/* The time of the last event on all nodes. */
static double last_time(skein_reduction_t agreement) {
  double time = simulation.now;
  return skein_reduce_double(agreement, SKEIN_REDUCE_MAX, &time, 1) ? 0 : time;
}

/* Whether all nodes say so. */
static int all_say(skein_reduction_t agreement, int yes) {
  double value = yes;
  return skein_reduce_double(agreement, SKEIN_REDUCE_MIN, &value, 1) == SKEIN_OK && value == 1;
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
  if (!all_say(agreement, set_up())) {
    run->code = SKEIN_EMEMORY;
    tear_down();
    return;
  }
  for (uint32_t i = 0; !simulation.code && i < simulation.model.sites; i++)
    if (simulation.node_of_site[i] == (uint32_t)skein_node())
      process_create(i, process_number(i, 0), 0, begin, i, runner);
  let_run(-INFINITY);
  const int all_over = simulate(run, agreement);
  const double last = last_time(agreement);
  if (skein_node() == 0)
    run->what.now = all_over ? last : simulation.model.until;
  for (uint32_t i = 0; end && !simulation.code && i < simulation.model.sites; i++)
    if (simulation.sites[i].memory)
      end(i, simulation.sites[i].memory, simulation.model.argument);
  end_processes();
  report_failure(run);
  add_up(run, &simulation.what);
  if (skein_node() == 0)
    run->what.windows = simulation.what.windows;
  tear_down();
}

/* --- the call -------------------------------------------------------------------------------------------------------
 */

static const char another_runs[] = "another simulation runs";

static int refuse(const char *why) {
  char text[200];
  snprintf(text, sizeof text, "skein_simulate: %s", why);
  return __skein_error(SKEIN_EREFUSED, text);
}

static int check(const struct skein_model *model) {
  if (!model->sites || !model->begin)
    return refuse("a model has at least one site, and a process that begins there");
  if (!(model->lookahead > 0))
    return refuse("a model's lookahead is greater than 0");
  if (!(model->until >= 0))
    return refuse("a model's end is at time 0 or later");
  return SKEIN_OK;
}

/* Starts the engines and waits for them. */
static int run_engines(skein_shared struct run *run, const struct skein_model *model, skein_process_runner runner) {
  const int nodes = skein_nodes();
  skein_thread_t engines[nodes];
  int code = SKEIN_OK;
  for (int node = 0; node < nodes; node++) {
    const struct skein_attributes attributes = {
        .node = SKEIN_ON(node), .bundle = simulation_bundle(), .name = "simulation"};
    engines[node] = skein_spawn_with(&attributes, engine, run, model->begin, model->end, runner);
    if (!engines[node])
      code = SKEIN_EREFUSED; /* with a text; the others hear of it from the reduction that fails */
  }
  for (int node = 0; node < nodes && !code; node++)
    code = skein_join(engines[node]);
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
  const skein_reduction_t agreement = skein_reduction_create(0, (unsigned)skein_nodes());
  if (!run || !agreement)
    return SKEIN_EMEMORY;
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
  skein_global_free(agreement);
  return text[0] ? __skein_error(code, text) : code;
}
