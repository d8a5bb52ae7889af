/* Optimistic simulation: processes run ahead of what is certain, and go back where that was wrong.
 *
 * Before the *horizon*, which all nodes agree on, nothing can arrive from elsewhere, so events there are certain and
 * happen as in a conservative simulation. While the engine waits for the other nodes, processes *run ahead*: each event
 * beyond the horizon begins with a *record* of what it may change, which is kept in the log of its site.
 *
 *     record = image of the process (skein_pack) + the site's memory + operations on resources, creations
 *
 * A record is in the log of its site, in the order of events, and in the chain of its process, which may have
 * travelled.
 *
 * An event that is planned before the last one in the log of its site is a *straggler*. All events after it are undone,
 * the latest first: what they have changed is put back; what they have planned is not to happen, and if it has happened
 * on another site of this node, that is undone first. The thread of the process is somewhere else then than its image
 * says. When its turn comes, it becomes what it was (skein_roll_back), if it is not to end since it was never created.
 *
 * Invariants
 * - A site's log is in order, and what an event causes is later than the event. So undoing goes from later events to
 *   earlier ones, over all sites, and never comes to the event that goes on.
 * - An entry in the agenda is a hint: it is right if its process is to go on at that moment. So undoing does not search
 *   the agenda.
 * - A thread leaves for another node when the event that sent it is certain. So nothing is undone over nodes; there are
 *   no anti-messages.
 *
 * Source: Jefferson, *Virtual Time*, 1985; that nothing leaves before it is certain: Dickens and Reynolds, *SRADS with
 * local rollback*, 1990. Why: docs/design.md. */
#include "simulation/simulation.h"

#include <skein/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state {
  to_go_on,   /* at `at`: it is in the agenda */
  waits,      /* for a resource */
  travelling, /* to a site `to` of another node, where it will go on at `at` */
  has_ended,  /* in an event that may be undone */
  has_turn,
  never_was, /* its creation was undone before its thread has said who it is */
};

struct process {
  uint64_t number;
  struct moment at;
  struct moment sent; /* travelling: of the event in which it left */
  uint32_t site, to;
  enum state state;
  int must_be_certain; /* its next event */
  struct skein_tcb *thread;
  skein_thread_t id;
  struct image restore; /* what its thread has to become before it goes on, if it has gone too far */
  struct record *last;
  struct process *next, *previous;               /* of all */
  struct process *next_placed, *previous_placed; /* of those that are new, or that travel */
};

/* What an event has done, and cannot be found by its process. */
struct operation {
  uint32_t resource;
  enum { changed, joined_queue, left_queue, created } kind;
  struct process *process;
  struct skein_resource look; /* as it was */
};

struct record {
  struct event event;
  struct process *process;
  uint32_t site;
  uint64_t created; /* what the site had before it */
  int travels;
  struct image image;
  struct record *previous, *next; /* in the log of the site */
  struct record *previous_of_process, *next_of_process;
  struct operation *operations;
  size_t count, room;
  unsigned char memory[]; /* of the site */
};

SKEIN_NOMIGRATE static void no_memory(const char *what) {
  fprintf(stderr, "skein: node %d has no memory for %s of the simulation\n", skein_node(), what);
  abort(); /* what has been done could not be undone */
}

/* --- processes -------------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static struct process *process_new(uint32_t site, uint64_t number) {
  struct simulation *s = &simulation;
  struct process *process = s->spare_processes;
  if (process)
    s->spare_processes = process->next;
  else if (!(process = malloc(sizeof *process)))
    no_memory("another process");
  *process = (struct process){.site = site, .number = number, .next = s->all};
  if (s->all)
    s->all->previous = process;
  s->all = process;
  return process;
}

SKEIN_NOMIGRATE static void image_free(struct image *image) {
  free(image->bytes);
  simulation.undo_bytes -= image->size;
  *image = (struct image){0};
}

/* The memory remains: entries of the agenda may still lead to it. */
SKEIN_NOMIGRATE static void process_free(struct process *process) {
  struct simulation *s = &simulation;
  image_free(&process->restore);
  *(process->previous ? &process->previous->next : &s->all) = process->next;
  if (process->next)
    process->next->previous = process->previous;
  process->state = has_ended;
  process->next = s->spare_processes;
  s->spare_processes = process;
}

SKEIN_NOMIGRATE static void unplace(struct process *process, struct process **first, struct process **last) {
  *(process->previous_placed ? &process->previous_placed->next_placed : first) = process->next_placed;
  if (process->next_placed)
    process->next_placed->previous_placed = process->previous_placed;
  else if (last)
    *last = process->previous_placed;
  process->next_placed = process->previous_placed = NULL;
}

SKEIN_NOMIGRATE static void let_end(struct process *process) {
  line_add(&simulation.ending, process->thread);
  process_free(process);
}

/* --- undoing ---------------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static size_t record_bytes(void) { return sizeof(struct record) + simulation.model.site_bytes; }

SKEIN_NOMIGRATE static void record_free(struct record *record) {
  struct simulation *s = &simulation;
  struct record *before = record->previous_of_process, *after = record->next_of_process;
  if (before)
    before->next_of_process = after;
  *(after ? &after->previous_of_process : &record->process->last) = before;
  struct site *site = &s->sites[record->site];
  *(record->previous ? &record->previous->next : &site->first) = record->next;
  *(record->next ? &record->next->previous : &site->last) = record->previous;
  if (!site->first) {
    *(site->previous ? &site->previous->next : &s->ahead) = site->next;
    if (site->next)
      site->next->previous = site->previous;
    site->next = site->previous = NULL;
  }
  s->records--;
  s->undo_bytes -= record_bytes() + record->room * sizeof *record->operations;
  image_free(&record->image);
  free(record->operations);
  record->next = s->spare_records;
  s->spare_records = record;
}

SKEIN_NOMIGRATE static void put_into_agenda(struct agenda *agenda, struct process *process) {
  if (!agenda_put(agenda, (struct event){process->at, process->number, {.process = process}}))
    no_memory("another event");
}

SKEIN_NOMIGRATE static void undo_creation(struct process *process) {
  simulation.what.processes--;
  simulation.what.withdrawn++;
  if (process->thread)
    let_end(process);
  else
    process->state = never_was;
}

SKEIN_NOMIGRATE static void undo_operation(const struct record *record, const struct operation *operation) {
  if (operation->kind == created) {
    undo_creation(operation->process);
    return;
  }
  struct site *site = &simulation.sites[record->site];
  struct line *queue = &site->queues[operation->resource];
  site->resources[operation->resource].look = operation->look;
  if (operation->kind == joined_queue) {
    line_remove(queue, record->process->thread);
  } else if (operation->kind == left_queue) {
    struct process *process = operation->process;
    process->state = waits;
    line_add_first(queue, process->thread);
    process->thread->data = process;
  }
}

SKEIN_NOMIGRATE static void undo_last_of(struct site *site) {
  struct simulation *s = &simulation;
  struct record *record = site->last;
  struct process *process = record->process;
  while (process->last != record) /* it has travelled on, within this node */
    undo_last_of(&s->sites[process->last->site]);
  while (record->count)
    undo_operation(record, &record->operations[--record->count]);
  if (process->state == travelling)
    unplace(process, &s->travelling, NULL);
  s->what.travels -= (uint64_t)record->travels;
  s->what.withdrawn += (uint64_t)record->travels;
  s->what.events--;
  site->events--;
  s->what.undone++;
  if (s->model.site_bytes)
    memcpy(site->memory, record->memory, s->model.site_bytes);
  site->about->created = record->created;
  if (record->image.bytes) {
    image_free(&process->restore);
    process->restore = record->image;
    record->image = (struct image){0};
  }
  process->at = record->event.at;
  process->site = record->site;
  process->state = to_go_on;
  put_into_agenda(&s->agenda, process);
  record_free(record);
}

/* The process will go on then. If its site is further already, it goes back. */
SKEIN_NOMIGRATE static void go_on_at(struct process *process, struct moment at) {
  struct simulation *s = &simulation;
  struct site *site = &s->sites[process->site];
  const struct event event = {at, process->number, {.process = process}};
  process->at = at;
  process->state = to_go_on;
  if (site->last && event_before(&event, &site->last->event)) {
    s->what.rollbacks++;
    do
      undo_last_of(site);
    while (site->last && event_before(&event, &site->last->event));
  }
  put_into_agenda(&s->agenda, process);
}

/* --- what events note -------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static struct operation *note(void) {
  struct simulation *s = &simulation;
  struct record *record = s->record;
  if (record->count == record->room) {
    const size_t room = record->room ? 2 * record->room : 2;
    struct operation *more = realloc(record->operations, room * sizeof *more);
    if (!more)
      no_memory("what an event does");
    s->undo_bytes += (room - record->room) * sizeof *more;
    record->operations = more;
    record->room = room;
  }
  return &record->operations[record->count++];
}

void ahead_note(uint32_t resource, int takes_first) {
  if (!simulation.record)
    return;
  const struct site *site = &simulation.sites[simulation.record->site];
  struct operation *operation = note();
  *operation = (struct operation){.resource = resource, .kind = changed, .look = site->resources[resource].look};
  if (takes_first && site->queues[resource].first) {
    operation->kind = left_queue;
    operation->process = site->queues[resource].first->data;
  }
}

void ahead_travels(void) {
  if (simulation.record)
    simulation.record->travels = 1;
}

struct process *ahead_new(uint32_t site, uint64_t number, struct moment at) {
  struct simulation *s = &simulation;
  struct process *process = process_new(site, number);
  if (s->record) {
    struct operation *operation = note();
    *operation = (struct operation){.kind = created, .process = process};
  }
  process->previous_placed = s->newborn_last;
  *(s->newborn_last ? &s->newborn_last->next_placed : &s->newborn) = process;
  s->newborn_last = process;
  go_on_at(process, at);
  return process;
}

void ahead_created(struct process *process, skein_thread_t thread) { process->id = thread; }

void ahead_woken(struct process *process, struct moment at) { go_on_at(process, at); }

/* --- turns ------------------------------------------------------------------------------------------------------ */

void ahead_no_event(int ends) {
  simulation.process = NULL;
  simulation.record = NULL;
  simulation.ends = ends;
}

SKEIN_NOMIGRATE static int is_stale(const struct event *event) {
  const struct process *process = event->process;
  return process->state != to_go_on || process->number != event->number || process->at.time != event->at.time ||
         process->at.step != event->at.step;
}

SKEIN_NOMIGRATE static void drop_stale(struct agenda *agenda) {
  while (agenda->count && is_stale(&agenda->events[0]))
    agenda_take(agenda);
}

SKEIN_NOMIGRATE static struct record *record_new(const struct event *event) {
  struct simulation *s = &simulation;
  struct process *process = event->process;
  struct site *site = &s->sites[process->site];
  struct record *record = s->spare_records;
  if (record)
    s->spare_records = record->next;
  else if (!(record = malloc(record_bytes())))
    no_memory("an event that may be undone");
  *record = (struct record){.event = *event,
                            .process = process,
                            .site = process->site,
                            .created = site->about->created,
                            .image = process->restore,
                            .previous = site->last,
                            .previous_of_process = process->last};
  process->restore = (struct image){0};
  if (s->model.site_bytes)
    memcpy(record->memory, site->memory, s->model.site_bytes);
  if (!site->first) {
    site->next = s->ahead;
    if (s->ahead)
      s->ahead->previous = site;
    s->ahead = site;
  }
  *(site->last ? &site->last->next : &site->first) = record;
  site->last = record;
  if (process->last)
    process->last->next_of_process = record;
  process->last = record;
  s->records++;
  s->undo_bytes += record_bytes();
  s->what.ahead++;
  return record;
}

SKEIN_NOMIGRATE static int ahead_has_room(double time) {
  const struct simulation *s = &simulation;
  return s->lent && time <= s->model.until && s->records < s->most_records &&
         s->undo_bytes + record_bytes() <= s->model.optimistic;
}

/* Whether this event, which may be undone, can happen now. Else it is deferred. */
SKEIN_NOMIGRATE static int may_run_ahead(const struct event *event) {
  struct process *process = event->process;
  struct site *site = &simulation.sites[process->site];
  if (process->must_be_certain || !process->thread)
    site->blocked_in = simulation.round;
  if (site->blocked_in != simulation.round)
    return 1;
  agenda_take(&simulation.agenda);
  put_into_agenda(&simulation.deferred, process);
  return 0;
}

struct skein_tcb *ahead_next(void) {
  struct simulation *s = &simulation;
  for (;;) {
    drop_stale(&s->agenda);
    if (!s->agenda.count)
      return NULL;
    const struct event event = s->agenda.events[0];
    const int certain = moment_before(event.at, s->window);
    if (!certain && !ahead_has_room(event.at.time))
      return NULL;
    if (!certain && !may_run_ahead(&event))
      continue;
    agenda_take(&s->agenda);
    struct process *process = event.process;
    s->restore = process->restore;
    s->record = certain ? NULL : record_new(&event);
    process->restore = (struct image){0};
    process->state = has_turn;
    process->must_be_certain = 0;
    s->process = process;
    s->ends = 0;
    if (certain && s->latest < event.at.time)
      s->latest = event.at.time;
    event_happens(event.at, process->site);
    return process->thread;
  }
}

/* A thread says for the first time on this node what it wants. */
SKEIN_NOMIGRATE static void reports(struct skein_tcb *thread, enum ask_kind ask) {
  struct simulation *s = &simulation;
  struct process *process = s->newborn;
  while (process && process->id != thread->id)
    process = process->next_placed;
  if (ask == ask_travel) { /* it could not leave */
    line_add(&s->travellers, thread);
    thread->data = (void *)(uint64_t)s->ask_site;
    return;
  }
  if (!process) { /* it has travelled, or moved with its site */
    process = process_new(s->ask_site, s->ask_number);
    process->thread = thread;
    if (ask == ask_wait) {
      process->state = waits;
      report_wait(thread, process);
    } else {
      go_on_at(process, s->ask_at);
    }
    return;
  }
  unplace(process, &s->newborn, &s->newborn_last);
  process->thread = thread;
  if (process->state == never_was)
    let_end(process);
}

/* The event of this turn is as if it had not begun; it has to wait until it is certain. */
SKEIN_NOMIGRATE static void defer(struct process *process) {
  simulation.what.deferred++;
  process->must_be_certain = 1;
  undo_last_of(&simulation.sites[process->site]);
  simulation.what.undone--;
}

/* Whether the process may go on at once: its event is certain, and the next one of all. */
SKEIN_NOMIGRATE static int goes_on(struct process *process, const struct event *event) {
  struct simulation *s = &simulation;
  if (s->record || s->arrived.first || s->ending.first || !moment_before(event->at, s->window) || s->over ||
      s->sites[process->site].last || (s->agenda.count && !event_before(event, &s->agenda.events[0])))
    return 0;
  event_happens(event->at, process->site);
  if (s->latest < event->at.time)
    s->latest = event->at.time;
  return 1;
}

int ahead_put(struct skein_tcb *thread, enum ask_kind ask) {
  struct simulation *s = &simulation;
  struct process *process = s->process;
  if (!process) {
    reports(thread, ask);
    return 1;
  }
  if (s->turn_is != turn_event) { /* it has settled */
    if (process->state == waits)
      wait_in_queue(thread, process);
    ahead_no_event(0);
    return 1;
  }
  switch (ask) {
  case ask_hold: {
    process->site = s->ask_site;
    const struct event event = {s->ask_at, process->number, {.process = process}};
    if (goes_on(process, &event))
      return 0;
    go_on_at(process, s->ask_at);
    break;
  }
  case ask_wait:
    if (s->record)
      s->record->operations[s->record->count - 1].kind = joined_queue;
    wait_in_queue(thread, process);
    process->state = waits;
    break;
  case ask_travel:
    process->state = travelling;
    process->sent = s->now;
    process->at = s->ask_at;
    process->to = s->ask_site;
    process->next_placed = s->travelling;
    if (s->travelling)
      s->travelling->previous_placed = process;
    s->travelling = process;
    break;
  case ask_end:
    process->state = has_ended;
    break;
  case ask_certain:
    defer(process);
    break;
  case ask_nothing:
  case ask_engine:
  case ask_keep:
    break;
  }
  ahead_no_event(0);
  return 1;
}

void ahead_ended(void) {
  struct simulation *s = &simulation;
  if (!s->process)
    return;
  if (s->record) {
    s->process->thread = NULL;
    simulation_fails(SKEIN_EREFUSED, "skein_simulate: a process has called skein_exit in an event that may be undone; "
                                     "call skein_sim_certain before that");
  } else {
    process_free(s->process);
  }
  ahead_no_event(0);
}

/* --- sites that leave -------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static int leaves(const struct process *process) {
  return (process->state == to_go_on || process->state == waits) && site_leaves(&simulation.sites[process->site]);
}

void ahead_settle(void) {
  struct simulation *s = &simulation;
  const uint64_t undone = s->what.undone;
  for (uint32_t i = 0; i < s->model.sites; i++)
    while (s->sites[i].last && site_leaves(&s->sites[i]))
      undo_last_of(&s->sites[i]);
  /* Some go on there because of an event elsewhere that may be undone. What is undone here happened at sites that stay,
   * so nobody new comes to those that leave. */
  for (struct process *process = s->all; process; process = process->next)
    while (process->last && leaves(process))
      undo_last_of(&s->sites[process->last->site]);
  s->undone_before += s->what.undone - undone; /* it was not in vain because it was too far ahead */
  for (uint32_t i = 0; i < s->model.sites; i++)
    for (uint32_t j = 0; site_leaves(&s->sites[i]) && j < s->model.resources; j++)
      for (struct line *queue = &s->sites[i].queues[j]; queue->first;) {
        void *process = queue->first->data;
        struct skein_tcb *thread = line_take(queue);
        line_add(&s->settling, thread);
        thread->data = process;
      }
  for (struct process *process = s->all; process; process = process->next)
    if (process->state == to_go_on && leaves(process)) {
      line_add(&s->settling, process->thread);
      process->thread->data = process;
    }
}

void ahead_settles(struct skein_tcb *thread) {
  struct simulation *s = &simulation;
  struct process *process = thread->data;
  line_remove(&s->settling, thread);
  ahead_no_event(0);
  s->process = process;
  s->restore = process->restore;
  process->restore = (struct image){0};
  s->turn_is = process->state == waits ? turn_report : turn_settles;
  s->settles_at = process->at;
}

void ahead_count(void) {
  for (const struct process *process = simulation.all; process; process = process->next)
    simulation.sites[process->site].processes += process->state == to_go_on || process->state == waits;
}

void ahead_collect(void) {
  struct simulation *s = &simulation;
  for (struct process *process = s->all, *after; process; process = after) {
    after = process->next;
    if (!leaves(process))
      continue;
    if (process->state == to_go_on)
      leave_with(process->site, process->thread);
    process_free(process);
  }
}

/* The thread is what it is to be. Its image is kept if the event may be undone. */
SKEIN_NOMIGRATE static void is_restored(void) {
  if (!simulation.record)
    image_free(&simulation.restore);
  simulation.restore = (struct image){0};
}

SKEIN_NOMIGRATE static void keep(void *bytes, size_t size) {
  struct simulation *s = &simulation;
  s->record->image = (struct image){bytes, size};
  s->undo_bytes += size;
  if (s->what.undo_bytes < s->undo_bytes)
    s->what.undo_bytes = s->undo_bytes;
}

int ahead_resumes(void) {
  if (!simulation.process)
    return 1; /* it could not leave this node */
  if (simulation.restore.bytes) {
    const int code = skein_roll_back(simulation.restore.bytes, simulation.restore.size);
    simulation_fails(code, skein_error_text());
    skein_exit(0);
  }
  if (!simulation.record)
    return 1;
  void *image;
  size_t size;
  switch (skein_pack(skein_self(), &image, &size)) {
  case SKEIN_OK:
    keep(image, size);
    return 1;
  case SKEIN_UNPACKED:
    is_restored();
    return 1;
  default: /* it holds a lock, or may not be packed for another reason; it goes on as soon as that need not be */
    return 0;
  }
}

/* --- what the engine asks ---------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static void at_most(struct moment *moment, struct moment other) {
  if (moment_before(other, *moment))
    *moment = other;
}

struct moment ahead_earliest(int after) {
  struct simulation *s = &simulation;
  struct moment earliest = {INFINITY, 0};
  struct agenda *const agendas[] = {&s->agenda, &s->deferred};
  for (int i = 0; i < 2; i++) {
    drop_stale(agendas[i]);
    if (agendas[i]->count)
      at_most(&earliest, agendas[i]->events[0].at);
  }
  earliest.step += (uint64_t)after;
  for (struct process *process = s->travelling; process; process = process->next_placed)
    at_most(&earliest, process->at);
  return earliest;
}

void ahead_commit(struct moment before) {
  struct simulation *s = &simulation;
  s->round++;
  for (struct site *site = s->ahead, *after; site; site = after) {
    after = site->next;
    while (site->first && moment_before(site->first->event.at, before)) {
      struct process *process = site->first->process;
      if (s->latest < site->first->event.at.time)
        s->latest = site->first->event.at.time;
      record_free(site->first);
      if (process->state == has_ended && !process->last && process->thread)
        let_end(process);
    }
  }
  while (s->deferred.count) {
    const struct event event = agenda_take(&s->deferred);
    if (!is_stale(&event))
      put_into_agenda(&s->agenda, event.process);
  }
}

/* Half as far, if more than a quarter was in vain; twice as far, if that was not far enough. */
void ahead_adapt(void) {
  enum { least = 4, greatest = 1 << 20 };
  struct simulation *s = &simulation;
  const uint64_t ahead = s->what.ahead - s->ahead_before, undone = s->what.undone - s->undone_before;
  if (undone * 4 > ahead && s->most_records > least)
    s->most_records /= 2;
  else if (undone * 8 <= ahead && ahead >= s->most_records / 2 && s->most_records < greatest)
    s->most_records *= 2;
  s->ahead_before = s->what.ahead;
  s->undone_before = s->what.undone;
}

struct moment ahead_leave(struct moment before) {
  struct simulation *s = &simulation;
  struct moment earliest = {INFINITY, 0};
  for (struct process *process = s->travelling, *after; process; process = after) {
    after = process->next_placed;
    if (!moment_before(process->sent, before))
      continue;
    at_most(&earliest, process->at);
    unplace(process, &s->travelling, NULL);
    line_add(&s->travellers, process->thread);
    process->thread->data = (void *)(uint64_t)process->to;
    process_free(process);
  }
  return earliest;
}

void ahead_end_all(void) {
  struct simulation *s = &simulation;
  s->agenda.count = s->deferred.count = 0;
  for (uint32_t i = 0; s->sites && i < s->model.sites; i++)
    for (uint32_t j = 0; s->sites[i].queues && j < s->model.resources; j++)
      s->sites[i].queues[j] = (struct line){0};
  for (struct process *process = s->all; process; process = process->next)
    if (process->thread)
      line_add(&s->arrived, process->thread);
  ahead_no_event(0);
}

void ahead_free(void) {
  struct simulation *s = &simulation;
  while (s->ahead)
    record_free(s->ahead->first);
  while (s->all)
    process_free(s->all);
  for (struct process *process; (process = s->spare_processes);) {
    s->spare_processes = process->next;
    free(process);
  }
  for (struct record *record; (record = s->spare_records);) {
    s->spare_records = record->next;
    free(record);
  }
  free(s->deferred.events);
}
