/* Sites of a simulation: where they are, and how they move between nodes in mid-run; see simulation.h.
 *
 * A site that may move lies on the private heap of a thread that *keeps* it, so its block (the memory, the resources)
 * has the same address on whatever node it is, and to move it is to move its keeper. That thread does nothing else. All
 * that a move checks holds for it: if the memory holds an address that means something else elsewhere, it stays. The
 * processes of the site are threads that move as well. They may hold pointers into the block, over a hold or a wait,
 * because it has a name on both nodes meanwhile (<skein/node_object.h>), and only meanwhile: who travels still may not.
 *
 *     all nodes have agreed: a window has ended, and these sites leave
 *       source        (optimistic) undoes what may be undone of the site; its processes become what they are to be
 *       both          give the block a name
 *     all nodes agree: the names are there
 *       source        takes the processes out of its agenda and its queues, and sends them with the keeper
 *     all nodes agree: which sites have left whole. Of those the others know the new owner from here on
 *       destination   lets the threads report: each says when it is to go on, or in which queue, with its ticket
 *       destination   sends back what it has got of a site that could not leave whole
 *     if there was such a site, all nodes agree: it is back
 *       source        lets its threads report
 *     nobody is under way any more
 *       both          put those that wait into their queues, and take the name away
 *
 * Why the results stay the same
 * - *Nothing is under way.* This happens when each node has done all events of the window and nobody has a turn; all
 *   travellers of the window wait in a line for the end of it, and go to the owner that a site has then. So no
 *   thread is on its way to a site that moves, and all nodes change the owner between the same two windows.
 * - *A process is in one of three places*: it goes on at a moment, waits for a resource, or travels. It keeps the
 *   moment or the ticket on its stack, and says it again after the move. Nothing else of it is in the bundle. (A
 *   process that a release has woken does not know yet when it goes on. In a conservative simulation there is none
 *   between windows, since it goes on at the time of the release. In an optimistic one it is told before it leaves.)
 * - *The order of events* is by moments and numbers of processes, not by nodes, and that of queues is by tickets,
 *   which a resource hands out in the order in which processes come; both travel along. (One who comes again, since
 *   that was undone, gets a new ticket.) The threads of a site come in several messages, and some report before the
 *   last ones are there (if a thread of that node has to be sent again, or the site comes back). So nobody who has
 *   reported goes into a queue before all have.
 * - *What is uncertain does not move.* Of an optimistic simulation, all records of the site are undone, and so are
 *   the events of other sites of the node that have sent somebody there (rollback.c says why undoing ends at the
 *   horizon). So no record and no image leads to what has left, and no straggler can come to a site that has just
 *   arrived. As the events that are undone are not before the horizon, global virtual time is as it was.
 * - *All or nothing.* A thread that cannot leave (it is pinned, holds a lock, or has a pointer to what stays behind)
 *   makes its site stay: what has left already comes back. Why it stayed is in `skein_simulated`. If even that
 *   fails, the simulation fails.
 *
 * Sites move for tests, at random (`shuffle`), or to balance the load (`balance`): in some windows each node tells the
 * others, with the agreement that there is anyway, how many events it has had. The busiest node offers some sites to
 * the least busy one, the second busiest to the second least busy, and so on; but no site from which so many travel to
 * others of the node that it would cost more to move these. Events are the measure, not seconds, so that a run can be
 * repeated. The more often there was nothing to move, the longer it takes until they compare again.
 *
 * Rejected: to copy a site's memory to a block of another address (a list inside of it would be wrong there, and no one
 * could tell); to describe threads in a message, by their ids, and to move images (the second half of that is what
 * moving a thread is); sites that are always kept by threads (a stack and a heap for each, for models that never move
 * any). */
#include "simulation/simulation.h"

#include <skein/global.h>
#include <skein/migration.h>
#include <skein/node_object.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  offers = 16,           /* sites that a node gives away at once */
  first_period = 8,      /* windows between two comparisons, */
  longest_period = 512,  /* and at most */
  patience = 32,         /* a site that could not leave is not asked again for so many comparisons */
  events_of_a_move = 16, /* the move of a thread takes as long as about so many events, */
  pays_within = 32,      /* and is to pay within so many comparisons */
};

/* --- blocks ----------------------------------------------------------------------------------------------------- */

/* Of the user's memory, with room behind it for what follows. */
SKEIN_NOMIGRATE static size_t memory_bytes(void) { return (simulation.model.site_bytes + 15) / 16 * 16; }

SKEIN_NOMIGRATE static size_t block_bytes(void) {
  return memory_bytes() + simulation.model.resources * sizeof(struct resource) + sizeof(struct about);
}

/* The site is on this node; with NULL: it is not. */
SKEIN_NOMIGRATE static void set_block(uint32_t number, void *block) {
  struct site *site = &simulation.sites[number];
  site->memory = block;
  site->resources = block ? (void *)((char *)block + memory_bytes()) : NULL;
  site->about = block ? (void *)(site->resources + simulation.model.resources) : NULL;
}

SKEIN_NOMIGRATE static void *block_of(uint32_t site) { return (void *)simulation.block_of_site[site]; }

SKEIN_NOMIGRATE static int is_here(uint32_t site) { return simulation.node_of_site[site] == (uint32_t)skein_node(); }

SKEIN_NOMIGRATE static void begin_block(uint32_t site, void *block) {
  set_block(site, block);
  for (uint32_t i = 0; i < simulation.model.resources; i++)
    simulation.sites[site].resources[i].look.free = 1;
}

/* The thread that keeps a site. */
static void keep(uint64_t site, uint64_t bytes) {
  void *block = skein_calloc(1, bytes);
  if (!block)
    return;
  simulation.block_of_site[site] = (uint64_t)block;
  begin_block((uint32_t)site, block);
  block = NULL;
  for (;;) {
    simulation.ask = ask_keep;
    simulation.ask_site = (uint32_t)site;
    simulation_give_turn();
  }
}

/* --- the beginning ----------------------------------------------------------------------------------------------- */

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

SKEIN_NOMIGRATE static int make_tables(void) {
  struct simulation *s = &simulation;
  const struct skein_model *model = &s->model;
  const int move = s->nodes > 1 && (model->balance || model->shuffle);
  s->most_values = offers * (s->nodes / 2 + 1);
  s->period = s->compare_in = first_period;
  s->node_of_site = calloc(model->sites, sizeof *s->node_of_site);
  s->sites = calloc(model->sites, sizeof *s->sites);
  s->queues = calloc((size_t)model->sites * model->resources + 1, sizeof *s->queues);
  s->values = calloc(1 + s->nodes + s->most_values, sizeof *s->values);
  s->block_of_site = move ? calloc(model->sites, sizeof *s->block_of_site) : NULL;
  if (!s->node_of_site || !s->sites || !s->queues || !s->values || (move && !s->block_of_site))
    return 0;
  place_sites(s->node_of_site, model->sites, s->nodes, model->placement);
  for (uint32_t i = 0; i < model->sites; i++)
    s->sites[i].queues = &s->queues[(size_t)i * model->resources];
  return 1;
}

/* The block of each site of this node, which stays here. */
SKEIN_NOMIGRATE static int make_blocks(void) {
  for (uint32_t i = 0; i < simulation.model.sites; i++) {
    void *block = is_here(i) ? calloc(1, block_bytes()) : NULL;
    if (block)
      begin_block(i, block);
    else if (is_here(i))
      return 0;
  }
  return 1;
}

/* Starts the keeper of each site of this node. */
static int start_keepers(void) {
  const struct skein_attributes attributes = {.bundle = simulation_bundle(), .name = "site"};
  for (uint32_t i = 0; i < simulation.model.sites; i++)
    if (is_here(i) && !skein_spawn_with(&attributes, keep, (uint64_t)i, (uint64_t)block_bytes()))
      return 0;
  let_report();
  for (uint32_t i = 0; i < simulation.model.sites; i++)
    if (is_here(i) && !simulation.sites[i].memory)
      return 0;
  return 1;
}

/* Tells all nodes where the blocks are. */
static void tell_blocks(skein_reduction_t agreement) {
  struct simulation *s = &simulation;
  for (uint32_t i = 0; i < s->model.sites;) {
    uint32_t count = s->model.sites - i < s->most_values ? s->model.sites - i : s->most_values;
    for (uint32_t j = 0; j < count; j++)
      s->values[j] = is_here(i + j) ? (double)s->block_of_site[i + j] : INFINITY; /* which is less than 2^53 */
    const int code = skein_reduce_double(agreement, SKEIN_REDUCE_MIN, s->values, count);
    if (code)
      simulation_fails(code, skein_error_text());
    for (uint32_t j = 0; !code && j < count; j++)
      s->block_of_site[i + j] = (uint64_t)s->values[j];
    i += count;
  }
}

int sites_make(skein_reduction_t agreement) {
  if (!all_say(agreement, make_tables()))
    return 0;
  if (!simulation.block_of_site)
    return make_blocks();
  if (!all_say(agreement, start_keepers()))
    return 0;
  tell_blocks(agreement);
  return !simulation.code;
}

void sites_free(void) {
  struct simulation *s = &simulation;
  for (uint32_t i = 0; s->sites && !s->block_of_site && i < s->model.sites; i++)
    free(s->sites[i].memory);
  free(s->sites);
  free(s->node_of_site);
  free(s->queues);
  free(s->values);
  free(s->block_of_site);
}

/* --- which sites are to move ------------------------------------------------------------------------------------- */

/* Notes that a site is to move. So many more do. */
SKEIN_NOMIGRATE static uint32_t leaves_for(uint32_t number, uint32_t node) {
  struct site *site = &simulation.sites[number];
  if (site->leaves || simulation.node_of_site[number] == node)
    return 0;
  site->leaves = 1;
  site->leaves_for = node;
  return 1;
}

/* For tests: in every second window some sites, on any nodes. All nodes draw the same. */
SKEIN_NOMIGRATE static uint32_t draw(void) {
  const struct simulation *s = &simulation;
  struct skein_stream stream = skein_stream_make(s->model.shuffle, 1 + s->what.windows);
  uint32_t count = 0;
  for (uint32_t wanted = skein_stream_below(&stream, 2) ? 1 + skein_stream_below(&stream, 3) : 0; wanted; wanted--) {
    const uint32_t site = skein_stream_below(&stream, s->model.sites);
    count += leaves_for(site, skein_stream_below(&stream, s->nodes));
  }
  return count;
}

uint32_t sites_loads(void) {
  struct simulation *s = &simulation;
  s->compares = s->block_of_site && s->model.balance && --s->compare_in == 0;
  if (!s->compares)
    return 0;
  for (uint32_t node = 0; node < s->nodes; node++)
    s->values[1 + node] = INFINITY;
  s->values[1 + skein_node()] = (double)(int64_t)(s->what.events - s->events_before);
  return s->nodes;
}

/* The site at which somebody waits that has reported it. */
SKEIN_NOMIGRATE static uint32_t waits_at(const struct event *event) { return (uint32_t)(event->at.step >> 32); }

/* Counts the processes at each site of this node. */
SKEIN_NOMIGRATE static void count_processes(void) {
  struct simulation *s = &simulation;
  for (uint32_t i = 0; i < s->model.sites; i++)
    s->sites[i].processes = 0;
  if (s->model.optimistic) {
    ahead_count();
    return;
  }
  for (size_t i = 0; i < s->agenda.count; i++)
    s->sites[(uint64_t)s->agenda.events[i].thread->data].processes++;
  for (size_t i = 0; i < s->reported.count; i++)
    s->sites[waits_at(&s->reported.events[i])].processes++;
  for (uint32_t i = 0; i < s->model.sites; i++)
    for (uint32_t j = 0; j < s->model.resources; j++)
      for (struct skein_tcb *thread = s->sites[i].queues[j].first; thread; thread = thread->next)
        s->sites[i].processes++;
}

/* How much less busy this node would be from then on, in events: those of the site, without what it takes that who
 * travels from it to other sites of this node, and (about as many) back, moves to another node. */
SKEIN_NOMIGRATE static int64_t gain(const struct site *site) {
  return site->events - (int64_t)site->near * 2 * events_of_a_move;
}

/* Whether it would pay to move the site, of at most so many events. */
SKEIN_NOMIGRATE static int pays(uint32_t number, double at_most) {
  const struct site *site = &simulation.sites[number];
  return is_here(number) && (double)site->events <= at_most && site->stays_until <= simulation.compared &&
         gain(site) * pays_within >= (int64_t)(site->processes + 1) * events_of_a_move;
}

/* Writes the sites that this node offers to another one, which is less busy by twice as many events. */
SKEIN_NOMIGRATE static void offer(double *sites, double events) {
  struct simulation *s = &simulation;
  count_processes();
  for (uint32_t offered = 0; offered < offers; offered++) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < s->model.sites; i++)
      if (pays(i, events) && (best == UINT32_MAX || s->sites[i].events > s->sites[best].events))
        best = i;
    if (best == UINT32_MAX)
      return;
    sites[offered] = best;
    events -= (double)s->sites[best].events;
    s->sites[best].events = 0; /* so that it does not pay any more */
  }
}

/* Whether one load is so much greater than the other that it is not by chance. */
SKEIN_NOMIGRATE static int is_uneven(double most, double least) {
  const double difference = most - least;
  return difference * 8 > most && difference * difference > 16 * most;
}

/* The nodes' loads are known: chooses the sites that move to balance them. */
static uint32_t choose(skein_reduction_t agreement) {
  struct simulation *s = &simulation;
  const uint32_t nodes = s->nodes;
  uint32_t order[nodes]; /* the busiest node first */
  double loads[nodes];
  for (uint32_t i = 0; i < nodes; i++) {
    loads[i] = s->values[1 + i];
    uint32_t at = i;
    for (; at && loads[order[at - 1]] < loads[i]; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  uint32_t pairs = 0, count = 0;
  while (pairs < nodes / 2 && is_uneven(loads[order[pairs]], loads[order[nodes - 1 - pairs]]))
    pairs++;
  for (uint32_t i = 0; i < pairs * offers; i++)
    s->values[i] = INFINITY;
  for (uint32_t i = 0; i < pairs; i++)
    if (order[i] == (uint32_t)skein_node())
      offer(&s->values[i * offers], (loads[order[i]] - loads[order[nodes - 1 - i]]) / 2);
  const int code = pairs ? skein_reduce_double(agreement, SKEIN_REDUCE_MIN, s->values, pairs * offers) : SKEIN_OK;
  if (code)
    simulation_fails(code, skein_error_text());
  for (uint32_t i = 0; !code && i < pairs * offers; i++)
    if (s->values[i] != INFINITY)
      count += leaves_for((uint32_t)s->values[i], order[nodes - 1 - i / offers]);
  s->compared++;
  s->events_before = s->what.events;
  for (uint32_t i = 0; i < s->model.sites; i++) {
    s->sites[i].events = 0;
    s->sites[i].near = 0;
  }
  s->period = count ? first_period : s->period < longest_period ? 2 * s->period : longest_period;
  s->compare_in = s->period;
  return count;
}

/* --- how they move ----------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static void name_of(uint32_t site, char *name, size_t room) {
  snprintf(name, room, "skein simulation, site %u", site);
}

SKEIN_NOMIGRATE static int takes_part(uint32_t site) {
  const struct simulation *s = &simulation;
  return s->sites[site].leaves && (is_here(site) || s->sites[site].leaves_for == (uint32_t)skein_node());
}

/* Pointers to blocks may leave now. */
SKEIN_NOMIGRATE static void give_names(void) {
  char name[44];
  for (uint32_t i = 0; i < simulation.model.sites; i++)
    if (takes_part(i)) {
      name_of(i, name, sizeof name);
      const int code = skein_node_object(name, block_of(i), block_bytes());
      if (code)
        simulation_fails(code, skein_error_text());
      simulation.sites[i].named = !code;
      set_block(i, block_of(i));
    }
}

SKEIN_NOMIGRATE static void take_names(void) {
  char name[44];
  for (uint32_t i = 0; i < simulation.model.sites; i++)
    if (simulation.sites[i].named) {
      name_of(i, name, sizeof name);
      skein_node_object_forget(name);
      simulation.sites[i].named = 0;
    }
}

/* All that have reported that they wait do so, in the order of their tickets. */
SKEIN_NOMIGRATE static void queue_up(void) {
  struct simulation *s = &simulation;
  while (s->reported.count) {
    const struct event event = agenda_take(&s->reported);
    line_add(&s->sites[waits_at(&event)].queues[event.at.step & UINT32_MAX], event.thread);
  }
}

void leave_with(uint32_t site, struct skein_tcb *thread) {
  line_add(&simulation.leaving[simulation.sites[site].leaves_for], thread);
  thread->data = (void *)(uint64_t)site;
}

/* Puts those of whom an agenda tells, and whose sites leave this node, into the lines of those that leave. */
SKEIN_NOMIGRATE static void collect_from(struct agenda *agenda) {
  const struct simulation *s = &simulation;
  size_t stay = 0;
  for (size_t i = 0; i < agenda->count; i++) {
    const struct event event = agenda->events[i];
    const uint32_t site = agenda == &s->reported ? waits_at(&event) : (uint32_t)(uint64_t)event.thread->data;
    if (site_leaves(&s->sites[site]))
      leave_with(site, event.thread);
    else
      agenda->events[stay++] = event;
  }
  agenda->count = stay;
  agenda_arrange(agenda);
}

/* Puts the threads of the sites that leave this node into the lines of those that leave. */
SKEIN_NOMIGRATE static void collect(void) {
  struct simulation *s = &simulation;
  for (uint32_t i = 0; i < s->model.sites; i++) {
    struct site *site = &s->sites[i];
    if (!site_leaves(site))
      continue;
    if (site->keeper)
      leave_with(i, site->keeper);
    site->keeper = NULL;
    for (uint32_t j = 0; j < s->model.resources; j++)
      while (site->queues[j].first)
        leave_with(i, line_take(&site->queues[j]));
  }
  collect_from(&s->reported);
  if (s->model.optimistic)
    ahead_collect();
  else
    collect_from(&s->agenda);
}

/* Sends the sites that leave this node. Why one stays, or 0. */
static int send_sites(char *text, size_t room) {
  collect();
  if (!ship() || simulation.code)
    return SKEIN_OK;
  let_report();
  collect();
  char reason[sizeof simulation.text];
  uint32_t site;
  const int code = ship_each(&site, reason, sizeof reason);
  if (code) {
    snprintf(text, room, "site %u: %s", site, reason);
    let_report();
  }
  return code;
}

/* Tells all nodes which sites have left whole: for each that was to leave a value, 1 or 0. */
static int agree_on_left(skein_reduction_t agreement, uint32_t count) {
  struct simulation *s = &simulation;
  uint32_t at = 0;
  count_processes();
  for (uint32_t i = 0; i < s->model.sites; i++)
    if (s->sites[i].leaves)
      s->values[at++] = !is_here(i) ? INFINITY : !s->sites[i].keeper && !s->sites[i].processes;
  s->values[count] = !s->code;
  const int code = skein_reduce_double(agreement, SKEIN_REDUCE_MIN, s->values, count + 1);
  if (code || s->values[count] != 1)
    simulation_fails(code ? code : SKEIN_EREFUSED, code ? skein_error_text() : "");
  return !s->code;
}

/* The site belongs to the other node. */
SKEIN_NOMIGRATE static void has_left(uint32_t number) {
  struct simulation *s = &simulation;
  struct site *site = &s->sites[number];
  if (is_here(number)) {
    set_block(number, NULL);
    s->what.sites_moved++;
  }
  s->node_of_site[number] = site->leaves_for;
  site->leaves = 0;
}

/* The site stays: its destination sends back what it has got of it. */
SKEIN_NOMIGRATE static void comes_back(uint32_t number, const char *why) {
  struct simulation *s = &simulation;
  struct site *site = &s->sites[number];
  if (is_here(number)) {
    s->what.sites_stayed++;
    snprintf(s->what.why_stayed, sizeof s->what.why_stayed, "%s", why);
    site->stays_until = s->compared + patience;
  }
  const uint32_t node = s->node_of_site[number];
  site->leaves = site->leaves_for == (uint32_t)skein_node();
  site->leaves_for = node;
}

/* The sites that stay are whole again, on their old nodes. */
static int send_back(skein_reduction_t agreement) {
  char text[sizeof simulation.text];
  const int code = send_sites(text, sizeof text);
  if (code)
    simulation_fails(code, text);
  for (uint32_t i = 0; i < simulation.model.sites; i++)
    if (simulation.sites[i].leaves) {
      set_block(i, NULL);
      simulation.sites[i].leaves = 0;
    }
  if (!all_say(agreement, !simulation.code)) {
    simulation_fails(SKEIN_EREFUSED, "");
    return 0;
  }
  let_report();
  return 1;
}

/* Moves the sites that leave, `count` in all. */
static int move(skein_reduction_t agreement, uint32_t count) {
  struct simulation *s = &simulation;
  char why[sizeof s->text] = "";
  if (!all_say(agreement, !s->code)) {
    simulation_fails(SKEIN_EREFUSED, ""); /* if it is another node that has failed */
    return 0;
  }
  send_sites(why, sizeof why);
  if (!agree_on_left(agreement, count))
    return 0;
  let_report();
  int all_left = 1;
  uint32_t at = 0;
  for (uint32_t i = 0; i < s->model.sites; i++)
    if (s->sites[i].leaves) {
      const int left = s->values[at++] == 1;
      all_left &= left;
      if (left)
        has_left(i);
      else
        comes_back(i, why);
    }
  return all_left || send_back(agreement);
}

int sites_move(skein_reduction_t agreement) {
  struct simulation *s = &simulation;
  if (!s->block_of_site)
    return 1;
  uint32_t count = s->model.shuffle ? draw() : 0;
  if (s->compares)
    count += choose(agreement);
  if (!count)
    return 1;
  if (s->model.optimistic) {
    let_report(); /* there may be new processes */
    ahead_settle();
    let_report();
  }
  give_names();
  const int moved = move(agreement, count);
  queue_up(); /* now that all have come */
  take_names();
  return moved;
}
